/// Text from scripts, servers and errors as it may be shown: what would move a cursor, colour a terminal, or
/// look like a line of the program's own is written out as Lua writes it, `\u{1b}` or `\n`. Tabs stay.
enum VisibleText {
    /// Within a line of ours, which it can't end.
    static func inline(_ text: String) -> String {
        guard needsLook(text.utf8) else { return text }
        var shown: [UInt8] = []
        for scalar in text.unicodeScalars { append(scalar, to: &shown) }
        return String(decoding: shown, as: UTF8.self)
    }

    /// With its line breaks. Lines behind the first begin with `indent`, as no line of ours does.
    static func lines(_ text: String, indent: String) -> String {
        guard needsLook(text.utf8) else { return text }
        let lines = text.replacing("\r\n", with: "\n").split(
            separator: "\n", omittingEmptySubsequences: false)
        return lines.enumerated().map { number, line in
            let shown = inline(String(line))
            return number == 0 || shown.isEmpty || shown.hasPrefix(indent) ? shown : indent + shown
        }.joined(separator: "\n")
    }

    /// Content on a terminal, with its line breaks. What is no UTF-8 is written as bytes: `\xff`.
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

    /// JSON on a terminal: JSON still, for characters that it may have in strings alone.
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

    /// The last look at what is about to be written: of all that a terminal obeys, line breaks, tabs and the
    /// colours of ``Style`` are left.
    static func styled(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 0x20 && $0 != 0x0A && $0 != 0x09 || $0 >= 0x7F }) else {
            return text
        }
        var shown: [UInt8] = []
        var rest = text.unicodeScalars[...]
        while let scalar = rest.first {
            if scalar == "\n" {
                shown.append(0x0A)
            } else if scalar == "\u{1B}",
                let code = Style.sequences.first(where: { rest.starts(with: $0.unicodeScalars) })
            {
                shown += code.utf8
                rest = rest.dropFirst(code.unicodeScalars.count)
                continue
            } else {
                append(scalar, to: &shown)
            }
            rest = rest.dropFirst()
        }
        return String(decoding: shown, as: UTF8.self)
    }

    /// Control characters of both kinds (C0 but the tab, DEL, C1), other line breaks of Unicode, and what
    /// turns the direction of text around.
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

    /// Bytes, because appending to a view of a string's scalars copies the whole string.
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

/// The way in which all commands say what went wrong.
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
