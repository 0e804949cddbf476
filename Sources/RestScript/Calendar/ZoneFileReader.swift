/// Reads the parts of a tzdata file (RFC 9636 3). Any content is safe: a read beyond the end throws a fault.
struct ZoneFileReader {
    /// The counts that a header gives.
    struct Counts {
        let version: UInt8
        let isUT: Int, isStandard: Int, leaps: Int, times: Int, types: Int, characters: Int

        /// The number of bytes in the block behind the header.
        func bytes(width: Int) -> Int {
            times * (width + 1) + types * 6 + characters + leaps * (width + 4) + isStandard + isUT
        }
    }

    /// The limit of a file's size. Real files of tzdata are below a hundredth of it.
    static let maxBytes = 1 << 20

    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes.prefix(Self.maxBytes) }

    mutating func header() throws(ZoneTable.Fault) -> Counts {
        try require(44)
        guard rest.starts(with: "TZif".utf8) else {
            throw ZoneTable.Fault(message: "it is not a file of tzdata")
        }
        let version = rest[rest.startIndex + 4]
        try skip(20)
        let isUT = try count()
        let isStandard = try count()
        let leaps = try count()
        let times = try count()
        let types = try count()
        return Counts(
            version: version, isUT: isUT, isStandard: isStandard, leaps: leaps, times: times, types: types,
            characters: try count())
    }

    /// A count cannot be larger than the file.
    private mutating func count() throws(ZoneTable.Fault) -> Int {
        let count = Int(try integer(4) & 0xFFFF_FFFF)
        guard count <= Self.maxBytes else { throw ZoneTable.Fault(message: "a count is out of range") }
        return count
    }

    /// A big-endian, signed integer.
    mutating func integer(_ width: Int) throws(ZoneTable.Fault) -> Int64 {
        try require(width)
        var value = rest[rest.startIndex] >= 0x80 ? Int64(-1) : 0
        for byte in rest.prefix(width) { value = value << 8 | Int64(byte) }
        rest = rest.dropFirst(width)
        return value
    }

    mutating func skip(_ count: Int) throws(ZoneTable.Fault) {
        try require(count)
        rest = rest.dropFirst(count)
    }

    func require(_ count: Int) throws(ZoneTable.Fault) {
        guard count >= 0, rest.count >= count else { throw ZoneTable.Fault(message: "it is cut short") }
    }

    /// The text between line feeds at the end; nil where it is empty.
    mutating func footer() throws(ZoneTable.Fault) -> String? {
        guard rest.first == 0x0A else { throw ZoneTable.Fault(message: "it is cut short") }
        let line = rest.dropFirst().prefix { $0 != 0x0A }
        guard line.endIndex < rest.endIndex else { throw ZoneTable.Fault(message: "it is cut short") }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }
}
