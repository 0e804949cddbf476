import Platform
import Synchronization

/// Types of Foundation whose own Codable form is used by no API. The engine doesn't link Foundation, so it
/// recognizes them by name.
enum FoundationType {
    case date, url, decimal, data

    /// The Unix time of the start of 2001, from which `Date` counts.
    static let referenceDate = 978_307_200.0

    /// Making the name of a type is slow, and there are few types.
    private static let known = Mutex<[ObjectIdentifier: FoundationType?]>([:])

    init?(_ type: Any.Type) {
        let found = Self.known.withLock { known in
            if let found = known[ObjectIdentifier(type)] { return found }
            let found = Self.named(String(reflecting: type))
            known[ObjectIdentifier(type)] = .some(found)
            return found
        }
        guard let found else { return nil }
        self = found
    }

    private static func named(_ name: String) -> FoundationType? {
        let parts = name.split(separator: ".")
        guard parts.count == 2, parts[0] == "Foundation" || parts[0] == "FoundationEssentials" else {
            return nil
        }
        return switch parts[1] {
        case "Date": .date
        case "URL": .url
        case "Decimal": .decimal
        case "Data": .data
        default: nil
        }
    }
}

/// A decimal number as digits and a power of ten: the form of a `Decimal`, and of a number in text.
struct DecimalDigits: Equatable {
    var isNegative = false
    /// Without zeros at its end, unless it is 0.
    var mantissa: UInt128 = 0
    var exponent = 0

    /// Nil for text that is not a number, or that has more digits than a `Decimal` holds.
    init?(_ text: String) {
        var rest = text.utf8[...]
        if rest.first == UInt8(ascii: "-") {
            isNegative = true
            rest.removeFirst()
        }
        var hasPoint = false
        var digits = 0
        while let byte = rest.first, byte != UInt8(ascii: "e"), byte != UInt8(ascii: "E") {
            rest.removeFirst()
            if byte == UInt8(ascii: ".") {
                guard !hasPoint else { return nil }
                hasPoint = true
                continue
            }
            guard byte &- UInt8(ascii: "0") < 10 else { return nil }
            let (tenfold, overflows) = mantissa.multipliedReportingOverflow(by: 10)
            let (sum, overflowsToo) = tenfold.addingReportingOverflow(UInt128(byte - UInt8(ascii: "0")))
            guard !overflows, !overflowsToo else { return nil }
            mantissa = sum
            digits += 1
            if hasPoint { exponent -= 1 }
        }
        guard digits > 0 else { return nil }
        if !rest.isEmpty {
            // No type has an exponent beyond this, and sums with it can't overflow.
            guard let power = Int(Substring(rest.dropFirst())), power.magnitude < 1_000_000 else {
                return nil
            }
            exponent += power
        }
        normalize()
    }

    /// From the fields that a `Decimal` encodes; nil for NaN.
    init?(_ record: TreeRecord) {
        guard case .integer(let exponent)? = record["exponent"],
            case .integer(let length)? = record["length"],
            case .bool(let isNegative)? = record["isNegative"], let mantissa = record["mantissa"]?.list
        else { return nil }
        if length == 0, isNegative { return nil }
        for (place, part) in mantissa.prefix(Int(length)).enumerated() {
            guard case .integer(let word) = part else { return nil }
            self.mantissa |= UInt128(word) << (16 * place)
        }
        self.isNegative = isNegative
        self.exponent = Int(exponent)
        normalize()
    }

    private mutating func normalize() {
        guard mantissa > 0 else {
            exponent = 0
            isNegative = false
            return
        }
        while mantissa % 10 == 0 {
            mantissa /= 10
            exponent += 1
        }
    }

    /// The number for a tree: an integer, a double, or the text of what neither holds.
    var part: TreePart {
        guard exponent < 0 else {
            let text = integerText
            return Int64(text).map(TreePart.integer) ?? .digits(text)
        }
        if let double = Double("\(sign)\(mantissa)e\(exponent)"), DecimalDigits("\(double)") == self {
            return .double(double)
        }
        var digits = "\(mantissa)"
        digits = String(repeating: "0", count: max(0, 1 - exponent - digits.utf8.count)) + digits
        let point = digits.utf8.index(digits.endIndex, offsetBy: exponent)
        return .digits("\(sign)\(digits[..<point]).\(digits[point...])")
    }

    /// The value as an integer; nil if it has a fraction, or does not fit.
    func integer<Integer: FixedWidthInteger>(_ type: Integer.Type = Integer.self) -> Integer? {
        // No integer type has more digits than this.
        exponent >= 0 && exponent < 80 ? Integer(integerText) : nil
    }

    private var sign: String { isNegative ? "-" : "" }

    private var integerText: String { sign + "\(mantissa)" + String(repeating: "0", count: exponent) }

    /// The fields that a `Decimal` reads from its decoder; nil for a number out of its range.
    var record: Tree? {
        var (mantissa, exponent) = (mantissa, exponent)
        // The exponent of a `Decimal` is one byte.
        while exponent > 127 {
            let (tenfold, overflows) = mantissa.multipliedReportingOverflow(by: 10)
            guard !overflows else { return nil }
            (mantissa, exponent) = (tenfold, exponent - 1)
        }
        guard exponent >= -128 else { return nil }
        let words = (0..<8).map { UInt16(truncatingIfNeeded: mantissa >> (16 * $0)) }
        let length = words.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
        return [
            "exponent": Tree(exponent), "length": Tree(length), "isNegative": Tree(isNegative),
            "isCompact": true, "mantissa": Tree(words.map { Tree($0) }),
        ]
    }
}

extension TreePart {
    /// The elements of an array, also of one that was written through a nested encoder.
    var list: [TreePart]? {
        switch self {
        case .array(let list): list.parts
        case .slot(let slot): slot.finished.list
        default: nil
        }
    }
}
