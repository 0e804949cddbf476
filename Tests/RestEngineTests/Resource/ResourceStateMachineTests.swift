import RestEngine
import Testing

@testable import RestEngine

/// The table of states without an engine: events, and the state after each.
struct ResourceStateMachineTests {
    enum Step: Sendable {
        case start
        case new(Int, String)
        /// The same for a load that a change has outdated.
        case newOutdated(Int, String)
        case failOutdated(Int)
        case notModified(Int)
        case fail(Int)
        case cancel(Int)
        case override(String)
        case hit(String)
        case invalidate, wipe
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let steps: [Step]
        var events: [ResourceEvent]
        var data: String?
        var hasError = false
        var isInvalidated = false

        var testDescription: String { name }
    }

    static let rows = [
        Row(name: "4.2 blank", steps: [], events: []),
        Row(name: "4.3 data", steps: [.start, .new(1, "a")], events: [.newData(.network)], data: "a"),
        Row(name: "4.4 error", steps: [.start, .fail(1)], events: [.error], hasError: true),
        Row(
            name: "20.10 an error keeps the data", steps: [.start, .new(1, "a"), .start, .fail(2)],
            events: [.newData(.network), .error], data: "a", hasError: true),
        Row(
            name: "4.4 a success clears the error", steps: [.start, .fail(1), .start, .new(2, "a")],
            events: [.error, .newData(.network)], data: "a"),
        Row(
            name: "4.11 so does a 304",
            steps: [.start, .new(1, "a"), .start, .fail(2), .start, .notModified(3)],
            events: [.newData(.network), .error, .notModified], data: "a"),
        Row(
            name: "4.12 a cancelled load changes nothing",
            steps: [.start, .new(1, "a"), .start, .fail(2), .invalidate, .start, .cancel(3)],
            events: [.newData(.network), .error, .requestCancelled], data: "a", hasError: true,
            isInvalidated: true),
        Row(
            name: "D2 the last started wins", steps: [.start, .start, .new(2, "b"), .new(1, "a")],
            events: [.newData(.network), .requestCancelled], data: "b"),
        Row(
            name: "D2 in order, each is news", steps: [.start, .start, .new(1, "a"), .new(2, "b")],
            events: [.newData(.network), .newData(.network)], data: "b"),
        Row(
            name: "D2 an old failure does not touch newer data",
            steps: [.start, .start, .new(2, "b"), .fail(1)],
            events: [.newData(.network), .requestCancelled], data: "b"),
        Row(
            name: "D2 old data comes in beside a newer failure",
            steps: [.start, .start, .fail(2), .new(1, "a")],
            events: [.error, .newData(.network)], data: "a", hasError: true),
        Row(
            name: "D2 an old failure does not touch a newer one",
            steps: [.start, .start, .fail(2), .fail(1)],
            events: [.error, .requestCancelled], hasError: true),
        Row(
            name: "D2 an override beats a load under way", steps: [.start, .override("l"), .new(1, "a")],
            events: [.newData(.localOverride), .requestCancelled], data: "l"),
        Row(
            name: "D2 an override beats a failure under way", steps: [.start, .override("l"), .fail(1)],
            events: [.newData(.localOverride), .requestCancelled], data: "l"),
        Row(
            name: "D2 a 304 under way does not confirm an override",
            steps: [.start, .new(1, "a"), .start, .override("l"), .notModified(2)],
            events: [.newData(.network), .newData(.localOverride), .requestCancelled], data: "l"),
        Row(
            name: "D2 a load after the override replaces it", steps: [.override("l"), .start, .new(1, "a")],
            events: [.newData(.localOverride), .newData(.network)], data: "a"),
        Row(
            name: "D2 nor does an answer undo a wipe", steps: [.start, .wipe, .new(1, "a")],
            events: [.newData(.wipe), .requestCancelled]),
        Row(
            name: "21.1 an override clears error and invalidation",
            steps: [.start, .fail(1), .invalidate, .override("l")],
            events: [.error, .newData(.localOverride)],
            data: "l"),
        Row(
            name: "21.3 invalidation leaves data and error", steps: [.start, .new(1, "a"), .invalidate],
            events: [.newData(.network)], data: "a", isInvalidated: true),
        Row(
            name: "21.4 a success ends invalidation",
            steps: [.start, .new(1, "a"), .invalidate, .start, .new(2, "b")],
            events: [.newData(.network), .newData(.network)], data: "b"),
        Row(
            name: "21.4 a 304 ends invalidation",
            steps: [.start, .new(1, "a"), .invalidate, .start, .notModified(2)],
            events: [.newData(.network), .notModified], data: "a"),
        Row(
            name: "21.4 a failure ends invalidation",
            steps: [.invalidate, .start, .fail(1)], events: [.error], hasError: true),
        Row(
            name: "52.6 the answer of an outdated load is data, and ends no invalidation",
            steps: [.start, .invalidate, .newOutdated(1, "a")], events: [.newData(.network)], data: "a",
            isInvalidated: true),
        Row(
            name: "52.6 an answer to a later load does",
            steps: [.start, .invalidate, .start, .newOutdated(1, "a"), .new(2, "b")],
            events: [.newData(.network), .newData(.network)], data: "b"),
        Row(
            name: "52.6 an outdated answer does not touch newer data",
            steps: [.start, .invalidate, .start, .new(2, "b"), .newOutdated(1, "a")],
            events: [.newData(.network), .requestCancelled], data: "b"),
        Row(
            name: "52.6 nor does an outdated failure end an invalidation",
            steps: [.start, .invalidate, .failOutdated(1)], events: [.error], hasError: true,
            isInvalidated: true),
        Row(
            name: "21.5 a wipe leaves nothing",
            steps: [.start, .new(1, "a"), .start, .fail(2), .invalidate, .wipe],
            events: [.newData(.network), .error, .newData(.wipe)]),
        Row(name: "22.8 a hit is data", steps: [.hit("c")], events: [.newData(.cache)], data: "c"),
        Row(
            name: "22.11 a hit is too late for data", steps: [.start, .new(1, "a"), .hit("c")],
            events: [.newData(.network)], data: "a"),
        Row(
            name: "22.11 a hit is too late for an override", steps: [.override("l"), .hit("c")],
            events: [.newData(.localOverride)], data: "l"),
        Row(
            name: "D2 a load under way replaces a hit", steps: [.start, .hit("c"), .new(1, "a")],
            events: [.newData(.cache), .newData(.network)], data: "a"),
        Row(
            name: "4.4 a hit leaves the error", steps: [.start, .fail(1), .hit("c")],
            events: [.error, .newData(.cache)], data: "c", hasError: true),
        Row(
            name: "21.3 a hit does not end an invalidation", steps: [.invalidate, .hit("c")],
            events: [.newData(.cache)], data: "c", isInvalidated: true),
        Row(
            name: "21.5 a hit may come after a wipe", steps: [.override("l"), .wipe, .hit("c")],
            events: [.newData(.localOverride), .newData(.wipe), .newData(.cache)], data: "c"),
    ]

    @Test(arguments: rows) func `4 data, error and invalidation after each history`(row: Row) {
        var machine = ResourceStateMachine()
        var events: [ResourceEvent] = []
        for step in row.steps {
            switch step {
            case .start: _ = machine.beginLoad()
            case .new(let load, let text):
                events.append(machine.finishLoad(load, Self.news(text), at: Self.time(2)))
            case .newOutdated(let load, let text):
                events.append(
                    machine.finishLoad(load, Self.news(text), isOutdated: true, at: Self.time(2)))
            case .failOutdated(let load):
                events.append(
                    machine.finishLoad(load, Self.failure(nil), isOutdated: true, at: Self.time(2)))
            case .notModified(let load):
                let info = ResponseInfo(.success(Self.entity("old")), isNew: false)
                events.append(machine.finishLoad(load, info, at: Self.time(2)))
            case .fail(let load): events.append(machine.finishLoad(load, Self.failure(nil), at: Self.time(2)))
            case .cancel(let load):
                events.append(machine.finishLoad(load, Self.failure(.requestCancelled), at: Self.time(2)))
            case .override(let text): events.append(machine.override(Self.entity(text), at: Self.time(2)))
            case .hit(let text):
                if let event = machine.adopt(Self.entity(text), at: Self.time(2)) { events.append(event) }
            case .invalidate: machine.invalidate()
            case .wipe: events.append(machine.wipe())
            }
        }
        #expect(events == row.events)
        #expect(machine.data?.content.text == row.data)
        #expect((machine.error != nil) == row.hasError)
        #expect(machine.isInvalidated == row.isInvalidated)
        let fresh = machine.freshData(at: 2, expirationTime: 30)
        #expect((fresh != nil) == (row.data != nil && !row.isInvalidated))
    }

    struct Freshness: Sendable {
        var data: Double?
        var error: Double?
        var isInvalidated = false
        let now: Double
        let isUpToDate: Bool
        let hasFreshData: Bool
    }

    /// Expiration time 30, retry time 1.
    @Test(arguments: [
        Freshness(now: 10, isUpToDate: false, hasFreshData: false),
        Freshness(data: 100, now: 100, isUpToDate: true, hasFreshData: true),
        Freshness(data: 100, now: 130, isUpToDate: true, hasFreshData: true),
        Freshness(data: 100, now: 130.001, isUpToDate: false, hasFreshData: false),
        Freshness(error: 100, now: 101, isUpToDate: true, hasFreshData: false),
        Freshness(error: 100, now: 101.001, isUpToDate: false, hasFreshData: false),
        Freshness(data: 100, error: 110, now: 120, isUpToDate: true, hasFreshData: true),
        Freshness(data: 100, error: 140, now: 141, isUpToDate: true, hasFreshData: false),
        Freshness(data: 100, error: 140, now: 142, isUpToDate: false, hasFreshData: false),
        Freshness(data: 100, isInvalidated: true, now: 100, isUpToDate: false, hasFreshData: false),
        Freshness(error: 100, isInvalidated: true, now: 100, isUpToDate: false, hasFreshData: false),
    ])
    func `4.9 4.10 4.13 D4 what is up to date when`(row: Freshness) {
        var machine = ResourceStateMachine()
        if let time = row.data { _ = machine.override(Self.entity("a", time), at: Self.time(time)) }
        if let time = row.error {
            _ = machine.finishLoad(machine.beginLoad(), Self.failure(nil, time), at: Self.time(time))
        }
        if row.isInvalidated { machine.invalidate() }
        #expect(machine.isUpToDate(at: row.now, expirationTime: 30, retryTime: 1) == row.isUpToDate)
        #expect((machine.freshData(at: row.now, expirationTime: 30) != nil) == row.hasFreshData)
        #expect(machine.timestamp == max(row.data ?? 0, row.error ?? 0))
    }

    @Test func `4.11 a 304 moves the data's time to now`() {
        var machine = ResourceStateMachine()
        _ = machine.override(Self.entity("a", 1), at: Self.time(1))
        _ = machine.finishLoad(
            machine.beginLoad(), ResponseInfo(.success(Self.entity("b")), isNew: false),
            at: EngineTime(now: 77, uptime: 5))
        #expect(machine.data?.timestamp == 77 && machine.dataTime == 5)
        #expect(machine.data?.content.text == "a")
    }

    private static func time(_ seconds: Double) -> EngineTime { EngineTime(now: seconds, uptime: seconds) }

    private static func entity(_ text: String, _ time: Double = 1) -> Entity {
        Entity(content: .text(text), timestamp: time)
    }

    private static func news(_ text: String) -> ResponseInfo { ResponseInfo(.success(entity(text))) }

    private static func failure(_ cause: RequestError.Cause?, _ time: Double = 1) -> ResponseInfo {
        ResponseInfo(.failure(RequestError(cause: cause, timestamp: time)))
    }
}
