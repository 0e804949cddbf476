import RestEngine
import TestSupport

@testable import SQLiteCache

extension EntryKey {
    init(_ url: String) { self.init(stage: "model", user: "", service: "api", url: url) }
}

extension Entity {
    static func text(_ text: String, timestamp: Double = 1_000_000) -> Entity {
        Entity(content: .text(text), contentType: "text/plain", timestamp: timestamp)
    }

    /// An entity of about a kilobyte, which is different for each number.
    static func sample(_ number: Int, size: Int = 1000) -> Entity {
        var random = SeededRandom(seed: UInt64(number))
        return Entity(
            content: .bytes((0..<size).map { _ in UInt8(truncatingIfNeeded: random.next()) }),
            headers: Headers([("X-Number", "\(number)")]), timestamp: Double(number))
    }

    func isSame(as other: Entity) -> Bool { SampleEntities.text(of: self) == SampleEntities.text(of: other) }
}

/// One operation each, as the cache queue runs them; returns the failure, or nil for success.
extension EntityStore {
    @discardableResult
    func write(_ entity: Entity, _ url: String) -> (any Error)? { run(.write(entity), url) }

    @discardableResult
    func remove(_ url: String) -> (any Error)? { run(.remove, url) }

    @discardableResult
    func updateTimestamp(_ timestamp: Double, _ url: String) -> (any Error)? {
        run(.updateTimestamp(timestamp), url)
    }

    private func run(_ action: Operation.Action, _ url: String) -> (any Error)? {
        for case .failure(let error) in run([Operation(key: EntryKey(url), action: action)]) {
            return error
        }
        return nil
    }

    /// The entity as text, `none`, or the failure.
    func text(_ url: String) -> String {
        do { return try read(EntryKey(url)).map(SampleEntities.text) ?? "none" } catch { return "\(error)" }
    }

    func has(_ url: String) -> Bool { (try? read(EntryKey(url))) != nil }

    /// The numbered entries that exist. Reads each of them.
    func numbers(_ range: Range<Int>) -> [Int] { range.filter { has("\($0)") } }
}
