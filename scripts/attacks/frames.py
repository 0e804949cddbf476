"""Writes HTTP/2 frames (RFC 9113), invalid ones too, and reads the answers.

This code checks no input on purpose: names, values and lengths go out as given, as literals that are never indexed
(RFC 7541 6.2.2).
"""

import socket
import ssl
import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
(DATA, HEADERS, PRIORITY, RESET, SETTINGS, PUSH, PING, GOAWAY, WINDOW, CONTINUATION) = range(10)
END_STREAM, END_HEADERS, PADDED, HAS_PRIORITY, ACK = 1, 4, 8, 32, 1
CODES = ["NO_ERROR", "PROTOCOL", "INTERNAL", "FLOW_CONTROL", "SETTINGS_TIMEOUT", "STREAM_CLOSED", "FRAME_SIZE", "REFUSED",
         "CANCEL", "COMPRESSION", "CONNECT", "CALM", "SECURITY", "HTTP_1_1"]
# Digits in Huffman's code (RFC 7541 appendix B): five bits for the first three, six for the others.
HUFFMAN_DIGITS = {format(digit, "05b") if digit < 3 else format(digit + 22, "06b"): str(digit) for digit in range(10)}


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def whole(value, bits, first=0):
    """An integer with a prefix of this number of bits (RFC 7541 5.1)."""
    most = (1 << bits) - 1
    if value < most:
        return bytes([first | value])
    data, value = [first | most], value - most
    while value >= 128:
        data.append(value % 128 + 128)
        value //= 128
    return bytes(data + [value])


def block(fields):
    return b"".join(b"\0" + whole(len(name), 7) + name + whole(len(value), 7) + value for name, value in fields)


def headers(fields, stream=1, flags=END_HEADERS | END_STREAM):
    return frame(HEADERS, flags, stream, block(fields))


def settings(pairs=(), flags=0, stream=0):
    return frame(SETTINGS, flags, stream, b"".join(struct.pack(">HI", *pair) for pair in pairs))


def status_of(data):
    """The status at the beginning of a block of fields, as servers without a dynamic table send it."""
    place = 0
    while data[place] & 0xE0 == 0x20:
        place += 1 if data[place] != 0x3F else 2
    first = data[place]
    if first & 0x80:
        return {8: 200, 9: 204, 10: 206, 11: 304, 12: 400, 13: 404, 14: 500}[first & 0x7F]
    length = data[place + 1] & 0x7F
    text = data[place + 2:place + 2 + length]
    if not data[place + 1] & 0x80:
        return int(text)
    bits, digits = "".join(format(byte, "08b") for byte in text), ""
    while len(digits) < 3:
        size = 5 if bits[:5] in HUFFMAN_DIGITS else 6
        digits, bits = digits + HUFFMAN_DIGITS[bits[:size]], bits[size:]
    return int(digits)


class Heard:
    """The answers of a server: the status of each stream, the streams that it reset, and the end."""

    def __init__(self):
        self.statuses, self.resets, self.goaway, self.has_ended = {}, {}, None, False
        self.data, self.open_ended = b"", set()

    @property
    def is_over(self):
        return self.has_ended or self.goaway is not None

    def take(self, kind, flags, stream, payload):
        if kind == HEADERS:
            if stream not in self.statuses:
                self.statuses[stream] = status_of(payload)
            self.open_ended.add(stream)
        if kind == DATA:
            self.data += payload
        if kind in (DATA, HEADERS) and flags & END_STREAM:
            self.open_ended.discard(stream)
        if kind == RESET:
            self.resets[stream] = CODES[struct.unpack(">I", payload)[0]]
            self.open_ended.discard(stream)
        if kind == GOAWAY:
            self.goaway = CODES[struct.unpack(">I", payload[4:8])[0]]

    @property
    def text(self):
        words = [str(status) for _, status in sorted(self.statuses.items())]
        codes = [code for _, code in sorted(self.resets.items())]
        words += ["reset " + code for code in sorted(set(codes))] + [f"({len(codes)} times)"] * (len(codes) > 1)
        if self.goaway:
            words.append("goaway " + self.goaway)
        return ",".join(words) or ("closed" if self.has_ended else "silent")


def connect(port, is_secure):
    connection = socket.create_connection(("127.0.0.1", port))
    if not is_secure:
        return connection
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])
    return context.wrap_socket(connection, server_hostname="localhost")


def exchange(port, is_secure, data, begins=True):
    """Sends the data behind a connection's preface, and reads until no more frames come."""
    heard, received = Heard(), b""
    with connect(port, is_secure) as connection:
        # A server without an answer has to close: within its time for a head, and a margin.
        connection.settimeout(4)
        try:
            connection.sendall((PREFACE + settings([(1, 0), (4, 1 << 20)]) if begins else b"") + data)
            while True:
                piece = connection.recv(65536)
                if not piece:
                    heard.has_ended = True
                    break
                received += piece
                while len(received) >= 9 and len(received) >= 9 + (length := int.from_bytes(received[:3], "big")):
                    stream = int.from_bytes(received[5:9], "big") & 0x7FFFFFFF
                    heard.take(received[3], received[4], stream, received[9:9 + length])
                    if received[3] == SETTINGS and not received[4] & ACK:
                        connection.sendall(settings(flags=ACK))
                    received = received[9 + length:]
                if heard.is_over or heard.resets or heard.statuses and not heard.open_ended:
                    # Any further frames would be here by now.
                    connection.settimeout(0.15)
        except (ConnectionError, ssl.SSLError):
            heard.has_ended = True
        except OSError:
            pass
    return heard
