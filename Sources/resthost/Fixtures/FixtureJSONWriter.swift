/// Writes JSON without spaces.
struct FixtureJSONWriter {
    private var bytes: [UInt8] = []

    static func bytes(of value: FixtureJSON) -> [UInt8] {
        var writer = FixtureJSONWriter()
        writer.write(value)
        return writer.bytes
    }

    private mutating func write(_ value: FixtureJSON) {
        switch value {
        case .null: write(raw: "null")
        case .bool(let flag): write(raw: flag ? "true" : "false")
        case .number(let text): write(raw: text)
        case .string(let text): write(quoted: text)
        case .array(let elements):
            write(raw: "[")
            for (index, element) in elements.enumerated() {
                if index > 0 { write(raw: ",") }
                write(element)
            }
            write(raw: "]")
        case .object(let members):
            write(raw: "{")
            for (index, member) in members.enumerated() {
                if index > 0 { write(raw: ",") }
                write(quoted: member.name)
                write(raw: ":")
                write(member.value)
            }
            write(raw: "}")
        }
    }

    private mutating func write(raw text: String) { bytes.append(contentsOf: text.utf8) }

    private mutating func write(quoted text: String) {
        write(raw: "\"")
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): write(raw: "\\\"")
            case UInt8(ascii: "\\"): write(raw: "\\\\")
            case 0x0A: write(raw: "\\n")
            case 0x0D: write(raw: "\\r")
            case 0x09: write(raw: "\\t")
            case 0..<0x20: write(raw: "\\u00" + FixtureHex.text(of: [byte]))
            default: bytes.append(byte)
            }
        }
        write(raw: "\"")
    }
}
