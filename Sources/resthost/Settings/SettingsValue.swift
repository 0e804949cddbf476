import Platform
import RestScript

/// One value of a ``SettingsFile``, for the option that has its name. A reader of another type throws.
struct SettingsValue: OptionValues {
    let entry: TOMLDocument.Entry

    func boolean(_ name: String) throws -> Bool? {
        guard case .boolean(let flag) = entry.value else { throw OptionFault("is true or false") }
        return flag
    }

    func integer(_ name: String) throws -> Int64? {
        if case .integer(let number) = entry.value { return number }
        if case .float(let number) = entry.value { throw OptionFault("is a whole number, not \(number)") }
        throw wrongKind("a whole number")
    }

    func number(_ name: String) throws -> Double? {
        switch entry.value {
        case .integer(let number): Double(number)
        case .float(let number): number
        default: throw wrongKind("a number")
        }
    }

    func string(_ name: String) throws -> String? {
        guard case .string(let text) = entry.value else { throw wrongKind("a string") }
        return text
    }

    func strings(_ name: String, _ label: String) throws -> [String]? {
        guard case .array(let items) = entry.value else { throw wrongKind("an array of strings") }
        return try items.map { item in
            guard case .string(let text) = item else {
                throw OptionFault("is an array of strings; one item is \(item.kind)")
            }
            return text
        }
    }

    /// There are no tables in tables.
    func texts(_ name: String, example: String) throws -> [(name: String, text: String)]? { nil }

    func byteCount(_ name: String) throws -> Int? {
        switch entry.value {
        case .integer(let number): return Int(number)
        case .string(let text):
            if let count = ByteCount(text) { return count.bytes }
        default: break
        }
        throw OptionFault.byteCount
    }

    func require(_ name: String, of owner: String?) throws {}

    /// A number as it is written, or a string.
    func text() throws -> String {
        switch entry.value {
        case .string(let text): text
        case .integer(let number): "\(number)"
        case .float(let number): "\(number)"
        default: throw wrongKind("a number or a string")
        }
    }

    /// One address or several, each not empty.
    func addresses() throws -> [String] {
        let values: [TOMLDocument.Value] =
            if case .array(let all) = entry.value { all } else { [entry.value] }
        let addresses = try values.map { value in
            guard case .string(let text) = value, !text.isEmpty else {
                throw OptionFault("is an address such as \"127.0.0.1:8080\", or an array of them")
            }
            return text
        }
        guard !addresses.isEmpty else { throw OptionFault("has no address in it") }
        return addresses
    }

    private func wrongKind(_ expected: String) -> OptionFault {
        OptionFault("is \(expected), not \(entry.value.kind)")
    }
}
