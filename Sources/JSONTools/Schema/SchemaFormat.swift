import RestEngine

/// The formats that can be asserted. Others only describe.
enum SchemaFormat: String, CaseIterable, Sendable {
    case dateTime = "date-time"
    case date
    case time
    case duration
    case email
    case internationalEmail = "idn-email"
    case hostname
    case ipv4
    case ipv6
    case uri
    case uriReference = "uri-reference"
    case iri
    case iriReference = "iri-reference"
    case uriTemplate = "uri-template"
    case uuid
    case jsonPointer = "json-pointer"
    case relativePointer = "relative-json-pointer"
    case regex

    func accepts(_ text: String) -> Bool {
        switch self {
        case .dateTime: TimeFormats.isDateTime(text)
        case .date: TimeFormats.isDate(text.utf8[...])
        case .time: TimeFormats.isTime(text.utf8[...])
        case .duration: TimeFormats.isDuration(text)
        case .email: NetworkFormats.isEmail(text, isInternational: false)
        case .internationalEmail: NetworkFormats.isEmail(text, isInternational: true)
        case .hostname: NetworkFormats.isHostname(text)
        case .ipv4: NetworkFormats.isIPv4(text.utf8[...])
        case .ipv6: NetworkFormats.isIPv6(text)
        case .uri: NetworkFormats.isURI(text, isReference: false, isInternational: false)
        case .uriReference: NetworkFormats.isURI(text, isReference: true, isInternational: false)
        case .iri: NetworkFormats.isURI(text, isReference: false, isInternational: true)
        case .iriReference: NetworkFormats.isURI(text, isReference: true, isInternational: true)
        case .uriTemplate: NetworkFormats.isURITemplate(text)
        case .uuid: Self.isUUID(text)
        case .jsonPointer: (try? JSONPointer(text)) != nil
        case .relativePointer: Self.isRelativePointer(text)
        case .regex: (try? SchemaPattern(text)) != nil
        }
    }

    private static func isUUID(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.count == 36
            && bytes.enumerated().allSatisfy { index, byte in
                [8, 13, 18, 23].contains(index) ? byte == UInt8(ascii: "-") : byte.isHexadecimal
            }
    }

    private static func isRelativePointer(_ text: String) -> Bool {
        let digits = text.utf8.prefix { $0.isDigit }
        guard !digits.isEmpty, digits.count == 1 || digits.first != UInt8(ascii: "0") else { return false }
        let rest = String(decoding: text.utf8.dropFirst(digits.count), as: UTF8.self)
        return rest == "#" || (try? JSONPointer(rest)) != nil
    }
}

extension UInt8 {
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
    var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
    var isHexadecimal: Bool { isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self | 0x20) }
    var isLetterOrDigit: Bool { isLetter || isDigit }
}
