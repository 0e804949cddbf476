/// Text as XML 1.0 takes it. Characters that it has no way to write become U+FFFD.
enum XMLText {
    static func content(_ text: String) -> String { escaped(text, isAttribute: false) }

    /// For values in double quotes; a line break would be read as a space, so it is written as a reference.
    static func attribute(_ text: String) -> String { escaped(text, isAttribute: true) }

    private static func escaped(_ text: String, isAttribute: Bool) -> String {
        var output = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": output.append(contentsOf: "&amp;".unicodeScalars)
            case "<": output.append(contentsOf: "&lt;".unicodeScalars)
            case ">": output.append(contentsOf: "&gt;".unicodeScalars)
            case "\"" where isAttribute: output.append(contentsOf: "&quot;".unicodeScalars)
            case "\n" where isAttribute, "\t" where isAttribute:
                output.append(contentsOf: "&#\(scalar.value);".unicodeScalars)
            // A bare one would come back as a line break.
            case "\r": output.append(contentsOf: "&#13;".unicodeScalars)
            default: output.append(isCharacter(scalar) ? scalar : "\u{FFFD}")
            }
        }
        return String(output)
    }

    /// XML 1.0, production 2.
    private static func isCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x9, 0xA, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }
}
