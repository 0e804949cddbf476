/// Lays out JSON text, which must be valid, with two spaces for each level. Empty containers stay on one
/// line.
enum PrettyJSON {
    static func format(_ json: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(json.count * 2)
        var depth = 0
        var index = 0
        func newLine() {
            output.append(UInt8(ascii: "\n"))
            output.append(contentsOf: repeatElement(UInt8(ascii: " "), count: depth * 2))
        }
        while index < json.count {
            let byte = json[index]
            switch byte {
            case UInt8(ascii: "\""):
                let end = endOfString(json, index)
                output += json[index..<end]
                index = end
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                output.append(byte)
                let next = index + 1
                if next < json.count, json[next] == byte + 2 {
                    output.append(json[next])
                    index += 2
                    continue
                }
                depth += 1
                newLine()
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                newLine()
                output.append(byte)
            case UInt8(ascii: ","):
                output.append(byte)
                newLine()
            case UInt8(ascii: ":"): output += [byte, UInt8(ascii: " ")]
            case 0x20, 0x09, 0x0A, 0x0D: break
            default: output.append(byte)
            }
            index += 1
        }
        return output
    }

    private static func endOfString(_ json: [UInt8], _ start: Int) -> Int {
        var index = start + 1
        while index < json.count, json[index] != UInt8(ascii: "\"") {
            index += json[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index + 1, json.count)
    }
}

/// A string in the form of JSON.
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
