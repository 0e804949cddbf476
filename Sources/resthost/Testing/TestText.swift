/// A text on one line.
enum SingleLine {
    static func text(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 0x20 || $0 >= 0x7F }) else { return text }
        return String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0 == "\t" || VisibleText.isHidden($0) ? " " : $0 }))
    }
}

/// Seconds with three decimals.
enum Seconds {
    static func text(_ seconds: Double) -> String {
        let millis = Int((max(0, seconds) * 1000).rounded())
        return "\(millis / 1000).\(String(1000 + millis % 1000).dropFirst())"
    }
}

/// A string as JSON writes it.
enum JSONText {
    static func string(_ text: String) -> String {
        var output = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": output += "\\\""
            case "\\": output += "\\\\"
            case "\n": output += "\\n"
            case "\r": output += "\\r"
            case "\t": output += "\\t"
            case _ where VisibleText.isHidden(scalar): output += VisibleText.jsonEscape(scalar)
            default: output.unicodeScalars.append(scalar)
            }
        }
        return output + "\""
    }
}
