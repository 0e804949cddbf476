import NIOCore
import RestEngine
import Synchronization

/// The latest requests of clients, for the inspector (rules 76). Answers from memory are many, so they have
/// places of their own and push out no others.
final class ClientHistory: Sendable {
    /// Of each of the two; see docs/reference/limits.md, L363.
    static let mostKept = 500
    /// The characters of a text; see docs/reference/limits.md, L364.
    static let mostCharacters = 2048

    struct Entry: Sendable {
        /// Counts from 1.
        let number: Int
        let record: AccessRecord
    }

    private struct State {
        var hits = CircularBuffer<Entry>()
        var others = CircularBuffer<Entry>()
        var last = 0
    }

    private let state = Mutex(State())

    /// Adds a request that was answered. On any thread.
    func note(_ record: AccessRecord) {
        let record = Self.shortened(record)
        state.withLock { state in
            state.last += 1
            let entry = Entry(number: state.last, record: record)
            if record.outcome == "hit" {
                Self.add(entry, to: &state.hits)
            } else {
                Self.add(entry, to: &state.others)
            }
        }
    }

    private static func add(_ entry: Entry, to entries: inout CircularBuffer<Entry>) {
        if entries.count == mostKept { entries.removeFirst() }
        entries.append(entry)
    }

    private static func shortened(_ record: AccessRecord) -> AccessRecord {
        var record = record
        if record.target.utf8.count > mostCharacters {
            record.target = record.target.prefix(mostCharacters) + "…"
        }
        if let agent = record.userAgent, agent.utf8.count > mostCharacters {
            record.userAgent = agent.prefix(mostCharacters) + "…"
        }
        return record
    }

    /// Forgets all.
    func clear() {
        state.withLock {
            $0.hits.removeAll()
            $0.others.removeAll()
        }
    }

    /// The requests after one, the oldest first, and the number of the latest.
    func entries(after number: Int) -> (entries: [Entry], last: Int) {
        let (all, last) = state.withLock { state in
            (
                [state.hits, state.others].flatMap { $0.suffix(while: { $0.number > number }) },
                state.last
            )
        }
        return (all.sorted { $0.number < $1.number }, last)
    }
}

extension CircularBuffer {
    /// The last elements for which the condition holds.
    fileprivate func suffix(while holds: (Element) -> Bool) -> [Element] {
        var place = endIndex
        while place > startIndex, holds(self[index(before: place)]) { place = index(before: place) }
        return Array(self[place...])
    }
}

extension ClientHistory.Entry {
    /// The secrets of the target are masked where the answer is written.
    var tree: Tree {
        var pairs: [(String, Tree)] = [
            ("number", Tree(number)), ("began", Tree(record.endedAt - record.duration)),
            ("seconds", Tree(record.duration)), ("method", Tree(record.method)),
            ("target", Tree(SecretMask.standard.url(record.target))), ("status", Tree(record.status)),
            ("bytes", Tree(record.bytes)),
        ]
        let texts = [
            ("client", record.client), ("name", record.name), ("outcome", record.outcome),
            ("code", record.code), ("version", record.version),
            ("user_agent", record.userAgent.map { SecretMask.standard.line($0) }),
        ]
        pairs += texts.compactMap { name, text in text.map { (name, Tree($0)) } }
        return Tree(pairs: pairs)
    }
}
