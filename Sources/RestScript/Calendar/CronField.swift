/// One of the five fields of a cron time.
enum CronField: String {
    case minute, hour, day, month, weekday

    private typealias Fault = CronSchedule.Fault

    private var range: ClosedRange<Int> {
        switch self {
        case .minute: 0...59
        case .hour: 0...23
        case .day: 1...31
        case .month: 1...12
        case .weekday: 0...7
        }
    }

    private var names: [String] {
        switch self {
        case .month: ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
        case .weekday: ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]
        default: []
        }
    }

    /// The numbers of a list, as bits: `*`, `5`, `MON`, `1-5`, `*/15`, `10-40/10`, with commas between.
    func set(_ text: Substring, _ suggest: (String, [String]) -> String) throws(CronSchedule.Fault) -> UInt64
    {
        var bits: UInt64 = 0
        for item in text.split(separator: ",", omittingEmptySubsequences: false) {
            bits |= try bitsOf(item, suggest)
        }
        // 7 means Sunday, too.
        if self == .weekday, bits >> 7 & 1 == 1 { bits = bits & 0x7F | 1 }
        return bits
    }

    private func bitsOf(
        _ item: Substring, _ suggest: (String, [String]) -> String
    ) throws(CronSchedule.Fault) -> UInt64 {
        let parts = item.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let body = parts.first else { throw fault(item, "has two steps") }
        var step = 1
        if parts.count == 2 {
            guard let given = Int(parts[1]), given > 0, given <= range.upperBound else {
                throw fault(item, "has no step of 1 to \(range.upperBound)")
            }
            step = given
        }
        let ends = body.split(separator: "-", omittingEmptySubsequences: false)
        var bounds = range
        if body == "*" {
            if self == .weekday { bounds = 0...6 }
        } else if ends.count == 2 {
            let low = try number(ends[0], item, suggest)
            var high = try number(ends[1], item, suggest)
            // A range such as 5-0 may end with Sunday.
            if self == .weekday, high == 0 { high = 7 }
            guard low <= high else {
                let first = range.lowerBound == high ? "\(high)" : "\(range.lowerBound)-\(high)"
                let last = self == .weekday ? 6 : range.upperBound
                throw fault(item, "goes backwards: write \(low)-\(last),\(first)")
            }
            bounds = low...high
        } else {
            let one = try number(body, item, suggest)
            guard parts.count == 1 else {
                throw fault(item, "has a step without a range: write \(one)-\(range.upperBound)/\(step)")
            }
            bounds = one...one
        }
        return stride(from: bounds.lowerBound, through: bounds.upperBound, by: step).reduce(0) {
            $0 | 1 << UInt64($1)
        }
    }

    private func number(
        _ text: Substring, _ item: Substring, _ suggest: (String, [String]) -> String
    ) throws(CronSchedule.Fault) -> Int {
        if let index = names.firstIndex(of: text.uppercased()) { return self == .month ? index + 1 : index }
        if !text.isEmpty, text.utf8.count <= 4, text.utf8.allSatisfy({ $0 &- 0x30 < 10 }),
            let value = Int(text)
        {
            guard range.contains(value) else {
                throw fault(item, "is not \(range.lowerBound) to \(range.upperBound)")
            }
            return value
        }
        if ["L", "W", "?", "#"].contains(where: { text.uppercased().contains($0) }),
            !text.contains(where: \.isLowercase),
            text.utf8.count <= 3, names.allSatisfy({ suggest(text.uppercased(), [$0]).isEmpty })
        {
            throw fault(item, "is of another kind of cron: look for the day in the function")
        }
        throw fault(item, "can't be understood" + (names.isEmpty ? "" : suggest(text.uppercased(), names)))
    }

    private func fault(_ item: Substring, _ reason: String) -> CronSchedule.Fault {
        CronSchedule.Fault(message: "'\(item.prefix(40))' in the \(rawValue) field \(reason)")
    }
}
