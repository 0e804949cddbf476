"""The upstream of an attack. It answers by path with the bytes that the attack sets."""

import socket
import threading

FRESH = b'{"name":"fresh","list":[1,2,3]}'


def answer(body, content_type="application/json", status="200 OK", fields=""):
    """A whole answer, after which the connection ends."""
    head = (f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}\r\n"
            f"{fields}Connection: close\r\n\r\n")
    return head.encode("latin-1") + body


class Upstream:
    """Listens on a port that the system chose, with a thread for each connection.

    `routes` gives for a path (without its query) bytes to send, or a function of the socket, the target and the body.
    """

    def __init__(self):
        self.routes = {"/fresh": answer(FRESH)}
        # For other paths: a small object.
        self.otherwise = answer(b'{"ok":true}')
        self.contacts = 0
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.contacts += 1
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with connection:
            try:
                connection.settimeout(30)
                target, body = self.read(connection)
                route = self.routes.get(target.split("?")[0], self.otherwise)
                if isinstance(route, bytes):
                    connection.sendall(route)
                else:
                    route(connection, target, body)
                connection.shutdown(socket.SHUT_WR)
                # Closing with unread bytes resets the connection and loses what was sent.
                while connection.recv(65536):
                    pass
            except (OSError, ValueError, IndexError):
                return

    @staticmethod
    def read(connection):
        data = b""
        while b"\r\n\r\n" not in data:
            piece = connection.recv(65536)
            if not piece:
                raise ValueError("no request")
            data += piece
        head, _, body = data.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        length = next((int(line[15:]) for line in lines if line.lower().startswith("content-length:")), 0)
        while len(body) < length:
            body += connection.recv(1 << 20)
        return lines[0].split(" ")[1], body

    def close(self):
        self.listener.close()
