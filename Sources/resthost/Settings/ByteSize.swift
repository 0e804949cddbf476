/// Sizes on the command line: `1000000`, `512K`, `256M`, `1G`, in powers of 1024.
enum ByteSize {
    static func parse(_ text: String) -> Int? {
        var digits = text[...]
        var shift = 0
        if let letter = digits.last, let place = "KMG".firstIndex(of: Character(letter.uppercased())) {
            shift = 10 * ("KMG".distance(from: "KMG".startIndex, to: place) + 1)
            digits = digits.dropLast()
        }
        guard digits.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
            let number = Int(digits)
        else {
            return nil
        }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: 1 << shift)
        return overflow || bytes < 1 << 20 ? nil : bytes
    }
}
