/// The records that an inotify descriptor gives (inotify(7)): watch, mask, cookie, length of the name, name filled up
/// with zeros.
enum InotifyRecords {
    struct Record: Equatable {
        var watch: Int32
        var mask: UInt32
        /// Empty for an event of the watched folder itself.
        var name: String
    }

    static let headBytes = 16

    /// Records that are cut off at the end are left out.
    static func read(_ bytes: UnsafeRawBufferPointer) -> [Record] {
        var records: [Record] = []
        var start = 0
        while start + headBytes <= bytes.count {
            let length = Int(bytes.loadUnaligned(fromByteOffset: start + 12, as: UInt32.self))
            let end = start + headBytes + length
            guard end <= bytes.count else { break }
            let name = bytes[(start + headBytes)..<end].prefix { $0 != 0 }
            records.append(
                Record(
                    watch: bytes.loadUnaligned(fromByteOffset: start, as: Int32.self),
                    mask: bytes.loadUnaligned(fromByteOffset: start + 4, as: UInt32.self),
                    name: String(decoding: name, as: UTF8.self)))
            start = end
        }
        return records
    }
}
