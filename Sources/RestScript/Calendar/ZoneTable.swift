/// A zone's difference from UTC, and the times when it changes.
struct ZoneTable: Equatable {
    /// The times of changes, in order, in seconds. `offsets` has the offset after each.
    private var times: [Int64] = []
    private var offsets: [Int64] = []
    /// The offset before the first change.
    private var first: Int64 = 0
    /// The rule for the time after the last change; nil when the last offset stays.
    private var rule: ZoneRule?

    static let utc = ZoneTable(ZoneRule(standard: 0))

    init(_ rule: ZoneRule) {
        self.rule = rule
        first = rule.standard
    }

    /// A stretch of time with one offset.
    struct Segment: Equatable {
        var offset: Int64
        /// Nil means no beginning.
        var start: Int64?
        /// The offset before this stretch.
        var before: Int64
        /// The first second after this stretch; nil means no end.
        var end: Int64?
    }

    /// The stretch that a time is in.
    func segment(at time: Int64) -> Segment {
        let changes = changes(around: time)
        var offset = offset(before: changes.first)
        var segment = Segment(offset: offset, start: nil, before: offset, end: nil)
        for change in changes where change.offset != offset {
            if change.time > time {
                segment.end = change.time
                break
            }
            segment = Segment(offset: change.offset, start: change.time, before: offset, end: nil)
            offset = change.offset
        }
        return segment
    }

    private typealias Change = (time: Int64, offset: Int64)

    /// The changes of the table and, after its end, those of the rule.
    private func changes(around time: Int64) -> [Change] {
        let next = firstIndex(after: time)
        let window = max(0, next - 1)..<min(times.count, next + 1)
        var changes = window.map { (time: times[$0], offset: offsets[$0]) }
        if window.upperBound == times.count, let rule {
            let last = times.last ?? .min
            changes += rule.changes(around: max(time, last)).filter { $0.time > last }
        }
        return changes
    }

    private func offset(before change: Change?) -> Int64 {
        guard let change else { return first }
        guard times.isEmpty else {
            let index = firstIndex(after: change.time - 1)
            return index > 0 ? offsets[index - 1] : first
        }
        guard let rule, let summer = rule.summer else { return first }
        return change.offset == summer.offset ? rule.standard : summer.offset
    }

    /// The index of the first change that is later.
    private func firstIndex(after time: Int64) -> Int {
        var low = 0
        var high = times.count
        while low < high {
            let middle = (low + high) / 2
            if times[middle] <= time { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension ZoneTable {
    /// The reason why a file is not a zone.
    struct Fault: Error, Equatable {
        let message: String
    }

    /// Reads a tzdata file (RFC 9636). Version 1 has 32-bit times; later versions have 64-bit times and a
    /// rule behind them.
    init(file bytes: [UInt8]) throws(Fault) {
        var reader = ZoneFileReader(bytes)
        let old = try reader.header()
        var counts = old
        var width = 4
        if old.version >= UInt8(ascii: "2") {
            try reader.skip(old.bytes(width: 4))
            counts = try reader.header()
            width = 8
        }
        guard counts.leaps == 0 else { throw Fault(message: "it counts leap seconds, as Unix time does not") }
        guard (1...256).contains(counts.types) else {
            throw Fault(message: "it has \(counts.types) types of time")
        }
        try reader.require(counts.bytes(width: width))
        let known = try (0..<counts.times).map { _ throws(Fault) in try reader.integer(width) }
        let indexes = try (0..<counts.times).map { _ throws(Fault) in try reader.integer(1) & 0xFF }
        let types = try (0..<counts.types).map { _ throws(Fault) in
            let offset = try reader.integer(4)
            try reader.skip(2)
            return offset
        }
        try reader.skip(counts.bytes(width: width) - counts.times * (width + 1) - counts.types * 6)
        guard zip(known, known.dropFirst()).allSatisfy({ $0 < $1 }) else {
            throw Fault(message: "its times are not in order")
        }
        guard indexes.allSatisfy({ $0 < counts.types }) else {
            throw Fault(message: "a type of time is missing")
        }
        guard types.allSatisfy({ abs($0) < 26 * 3600 }), known.allSatisfy({ abs($0) < 1 << 60 }) else {
            throw Fault(message: "an offset or a time is out of range")
        }
        first = types[0]
        // Many entries change only the name of the zone, not its offset.
        var offset = first
        for (time, index) in zip(known, indexes) where types[Int(index)] != offset {
            offset = types[Int(index)]
            times.append(time)
            offsets.append(offset)
        }
        if width == 8, let text = try reader.footer() {
            guard let rule = ZoneRule(text) else { throw Fault(message: "its rule can't be understood") }
            self.rule = rule
            if times.isEmpty { first = rule.standard }
        }
    }
}
