/// Makes text from scripts, servers and errors safe to show. Characters that would move a cursor, colour a
/// terminal, or imitate a line of the program are written as in Lua, `\u{1b}` or `\n`. Tabs stay.
enum VisibleText {
    /// Text within one line of the program. It can't contain line breaks.
    static func inline(_ text: String) -> String {
        shown(text) { bytes, shown in escape(bytes, bytes.indices, to: &shown) }
    }

    /// Text with its line breaks. Later lines begin with `indent`, which no line of the program does.
    static func lines(_ text: String, indent: String) -> String {
        shown(text) { bytes, shown in
            var start = 0
            while true {
                let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
                let isEnded = end < bytes.count
                let line = start..<(isEnded && end > start && bytes[end - 1] == 0x0D ? end - 1 : end)
                if start > 0, !line.isEmpty, !bytes[line].starts(with: indent.utf8) { shown += indent.utf8 }
                escape(bytes, line, to: &shown)
                guard isEnded else { return }
                shown.append(0x0A)
                start = end + 1
            }
        }
    }

    /// Content on a terminal, with its line breaks. Bytes that are not UTF-8 are written as `\xff`.
    static func content(_ bytes: [UInt8]) -> [UInt8] {
        guard needsLook(bytes) else { return bytes }
        var shown: [UInt8] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let line = rest.prefix { $0 != 0x0A }
            rest = rest.dropFirst(line.count)
            let hasEnd = rest.popFirst() != nil
            append(line.last == 0x0D && hasEnd ? line.dropLast() : line, to: &shown)
            if hasEnd { shown.append(0x0A) }
        }
        return shown
    }

    /// JSON on a terminal. It stays JSON, because only strings may contain such characters.
    static func json(_ json: [UInt8]) -> [UInt8] {
        guard json.contains(where: { $0 >= 0x7F }) else { return json }
        var shown: [UInt8] = []
        for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
            if scalar.value >= 0x7F, isHidden(scalar) {
                shown += jsonEscape(scalar).utf8
            } else {
                shown += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
            }
        }
        return shown
    }

    static func jsonEscape(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16)
        return "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// The last check before text is written. Of the characters that a terminal interprets, only line breaks,
    /// tabs and the colours of ``Style`` remain.
    static func styled(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 0x20 && $0 != 0x0A && $0 != 0x09 || $0 >= 0x7F }) else {
            return text
        }
        return shown(text) { bytes, shown in
            var start = 0
            while let stop = bytes[start...].firstIndex(where: { $0 == 0x0A || $0 == 0x1B }) {
                escape(bytes, start..<stop, to: &shown)
                if bytes[stop] == 0x0A {
                    shown.append(0x0A)
                    start = stop + 1
                } else if let code = Style.sequences.first(where: { bytes[stop...].starts(with: $0.utf8) }) {
                    shown += code.utf8
                    start = stop + code.utf8.count
                } else {
                    escape(bytes, stop..<(stop + 1), to: &shown)
                    start = stop + 1
                }
            }
            escape(bytes, start..<bytes.count, to: &shown)
        }
    }

    /// Control characters of both kinds (C0 without the tab, DEL, C1), other line breaks of Unicode, and
    /// characters that change the direction of text.
    static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09: false
        case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    private static func needsLook(_ bytes: some Sequence<UInt8>) -> Bool {
        bytes.contains { $0 < 0x20 && $0 != 0x09 || $0 >= 0x7F }
    }

    /// It works on bytes, because a log may have megabytes.
    private static func shown(
        _ text: String, _ write: (UnsafeBufferPointer<UInt8>, inout [UInt8]) -> Void
    ) -> String {
        guard needsLook(text.utf8) else { return text }
        var text = text
        var shown: [UInt8] = []
        text.withUTF8 { write($0, &shown) }
        return String(decoding: shown, as: UTF8.self)
    }

    /// UTF-8 with hidden characters written as escapes.
    private static func escape(
        _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, to shown: inout [UInt8]
    ) {
        var copied = range.lowerBound
        var place = copied
        while place < range.upperBound {
            guard let (value, count) = hidden(bytes, at: place) else {
                place += 1
                continue
            }
            shown += bytes[copied..<place]
            shown += escapes[value] ?? []
            place += count
            copied = place
        }
        shown += bytes[copied..<range.upperBound]
    }

    /// The hidden scalar that begins here, and its length in UTF-8.
    private static func hidden(
        _ bytes: UnsafeBufferPointer<UInt8>, at place: Int
    ) -> (value: UInt32, count: Int)? {
        let first = bytes[place]
        if first < 0x7F { return first >= 0x20 || first == 0x09 ? nil : (UInt32(first), 1) }
        if first == 0x7F { return (0x7F, 1) }
        let count = first == 0xC2 ? 2 : first == 0xE2 ? 3 : 0
        guard count > 0, place + count <= bytes.count else { return nil }
        let value = bytes[(place + 1)..<(place + count)].reduce(UInt32(first) & (count == 2 ? 0x1F : 0x0F)) {
            $0 << 6 | UInt32($1 & 0x3F)
        }
        return escapes[value] == nil ? nil : (value, count)
    }

    /// The escape of each hidden scalar.
    private static let escapes: [UInt32: [UInt8]] = {
        var escapes: [UInt32: [UInt8]] = [:]
        for value in UInt32(0)...0x2069 {
            guard let scalar = Unicode.Scalar(value), isHidden(scalar) else { continue }
            escapes[value] = []
            append(scalar, to: &escapes[value, default: []])
        }
        return escapes
    }()

    private static func append(_ scalar: Unicode.Scalar, to shown: inout [UInt8]) {
        guard isHidden(scalar) else {
            shown += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
            return
        }
        switch scalar {
        case "\n": shown += "\\n".utf8
        case "\r": shown += "\\r".utf8
        case "\0": shown += "\\0".utf8
        default: shown += "\\u{\(String(scalar.value, radix: 16))}".utf8
        }
    }

    private static func append(_ line: ArraySlice<UInt8>, to shown: inout [UInt8]) {
        var decoder = UTF8.ForwardParser()
        var bytes = line.makeIterator()
        var place = line.startIndex
        while true {
            switch decoder.parseScalar(from: &bytes) {
            case .valid(let encoded):
                append(UTF8.decode(encoded), to: &shown)
                place += encoded.count
            case .error(let length):
                for byte in line[place..<(place + length)] {
                    shown += "\\x\(String(byte, radix: 16))".utf8
                }
                place += length
            case .emptyInput: return
            }
        }
    }
}

/// The form of error messages of all commands.
enum Complaint {
    static func text(_ message: String) -> String {
        "resthost: \(VisibleText.lines(message, indent: "  "))\n"
    }
}

/// A text on one line.
enum SingleLine {
    static func text(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 0x20 || $0 >= 0x7F }) else { return text }
        return String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0 == "\t" || VisibleText.isHidden($0) ? " " : $0 }))
    }
}
