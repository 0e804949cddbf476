package import RestEngine

/// A decimal number without rounding: `digits` × 10^`exponent`.
///
/// A double stands for the shortest decimal text that reads as it, which is what the author of JSON text
/// wrote. So 0.0075 is a multiple of 0.0001.
package struct ExactNumber: Hashable, Sendable {
    let isNegative: Bool
    /// Values from 0 to 9, without zeros at either end; empty for zero.
    let digits: [UInt8]
    /// 0 for zero.
    let exponent: Int

    /// Exponents beyond it are cut to it; no double comes near.
    private static let mostExponent = 1_000_000_000

    /// Nil for what is no number, and for infinities and NaN.
    package init?(_ tree: Tree) {
        if let int = tree.int {
            self.init(int)
        } else if let text = tree.digits ?? tree.double?.description {
            self.init(text: text)
        } else {
            return nil
        }
    }

    init(_ int: Int64) {
        var (rest, exponent, digits) = (int.magnitude, 0, [UInt8]())
        while rest != 0, rest % 10 == 0 {
            rest /= 10
            exponent += 1
        }
        while rest != 0 {
            digits.append(UInt8(rest % 10))
            rest /= 10
        }
        (isNegative, self.digits, self.exponent) = (int < 0, digits.reversed(), exponent)
    }

    /// Reads a number in JSON's form; nil for other text.
    init?(text: String) {
        var bytes = text.utf8[...]
        let isNegative = bytes.first == UInt8(ascii: "-")
        if isNegative { bytes.removeFirst() }
        let significand = bytes.prefix { $0 != UInt8(ascii: "e") && $0 != UInt8(ascii: "E") }
        var exponent = 0
        if significand.count < bytes.count {
            let text = String(decoding: bytes.dropFirst(significand.count + 1), as: UTF8.self)
            exponent = Int(text) ?? (text.hasPrefix("-") ? -Self.mostExponent : Self.mostExponent)
        }
        var digits: [UInt8] = []
        var isFraction = false
        for byte in significand {
            switch byte {
            case UInt8(ascii: "."): isFraction = true
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits.append(byte - UInt8(ascii: "0"))
                if isFraction { exponent -= 1 }
            default: return nil
            }
        }
        guard !digits.isEmpty else { return nil }
        self.init(isNegative, digits, min(max(exponent, -Self.mostExponent), Self.mostExponent))
    }

    private init(_ isNegative: Bool, _ written: [UInt8], _ exponent: Int) {
        guard let last = written.lastIndex(where: { $0 != 0 }) else {
            (self.isNegative, digits, self.exponent) = (false, [], 0)
            return
        }
        self.isNegative = isNegative
        digits = Array(written[...last].drop { $0 == 0 })
        self.exponent = exponent + written.count - 1 - last
    }

    var isInteger: Bool { exponent >= 0 }

    /// The integer, if 64 bits hold it.
    var int: Int? {
        guard isInteger, digits.count + exponent <= 19 else { return nil }
        var value = 0
        for digit in digits + Array(repeating: 0, count: exponent) {
            let (tens, overflows) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflowsToo) = tens.addingReportingOverflow(isNegative ? -Int(digit) : Int(digit))
            if overflows || overflowsToo { return nil }
            value = sum
        }
        return value
    }
}

extension ExactNumber: Comparable {
    package static func < (left: ExactNumber, right: ExactNumber) -> Bool {
        if left.isNegative != right.isNegative { return left.isNegative }
        return left.isNegative ? isSmaller(right, left) : isSmaller(left, right)
    }

    /// Compares without signs.
    private static func isSmaller(_ left: ExactNumber, _ right: ExactNumber) -> Bool {
        if left.digits.isEmpty || right.digits.isEmpty { return left.digits.isEmpty && !right.digits.isEmpty }
        let (leftPlaces, rightPlaces) = (
            left.digits.count + left.exponent, right.digits.count + right.exponent
        )
        return leftPlaces == rightPlaces
            ? left.digits.lexicographicallyPrecedes(right.digits) : leftPlaces < rightPlaces
    }
}

/// A number that others are divided by.
struct Divisor: Sendable {
    /// Without zeros at its end.
    private let significand: UInt128
    private let exponent: Int

    /// More digits could not be multiplied in 256 bits.
    private static let mostDigits = 38

    /// Nil for a number that is not above zero, and for one of more than 38 digits.
    init?(_ number: ExactNumber) {
        guard !number.isNegative, (1...Self.mostDigits).contains(number.digits.count) else { return nil }
        significand = number.digits.reduce(0) { $0 * 10 + UInt128($1) }
        exponent = number.exponent
    }

    func divides(_ number: ExactNumber) -> Bool {
        guard !number.digits.isEmpty else { return true }
        // The number has a digit in a place that no multiple has.
        guard number.exponent >= exponent else { return false }
        var remainder: UInt128 = 0
        for digit in number.digits {
            remainder = (product(remainder, 10) + UInt128(digit)) % significand
        }
        return product(remainder, powerOfTen(number.exponent - exponent)) == 0
    }

    /// The remainder of 10^exponent.
    private func powerOfTen(_ exponent: Int) -> UInt128 {
        var (result, square, rest) = (1 % significand, 10 % significand, exponent)
        while rest > 0 {
            if rest & 1 == 1 { result = product(result, square) }
            square = product(square, square)
            rest >>= 1
        }
        return result
    }

    /// The remainder of a product of two remainders.
    private func product(_ left: UInt128, _ right: UInt128) -> UInt128 {
        // Each factor must be smaller than the divisor, or the quotient would not fit.
        significand.dividingFullWidth((left % significand).multipliedFullWidth(by: right % significand))
            .remainder
    }
}
