import RestEngine
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor
struct FreshnessTests {
    let fixture = EngineFixture()

    private func answer(_ reply: StubReply) throws -> Resource {
        try fixture.stub("GET", "a", reply)
        let resource = fixture.resource("a")
        resource.load()
        fixture.settle()
        return resource
    }

    @Test func `4.2 a resource starts blank`() {
        let resource = fixture.resource("a")
        #expect(resource.latestData == nil && resource.latestError == nil)
        #expect(!resource.isLoading && !resource.isRequesting && !resource.isUpToDate)
        #expect(resource.loadRequests.isEmpty && resource.allRequests.isEmpty)
        #expect(resource.timestamp == 0)
    }

    @Test func `4.9 data is up to date for its expiration time, the end included`() throws {
        let resource = try answer(.text(200, "x"))
        #expect(resource.isUpToDate)
        fixture.advance(30)
        #expect(resource.isUpToDate)
        fixture.advance(0.01)
        #expect(!resource.isUpToDate)
    }

    @Test func `4.9 14.7 both times are those of GET, whatever method made the data`() throws {
        try fixture.configure(methods: ["POST"]) { $0.configuration.expirationTime = .seconds(1000) }
        try fixture.configure(methods: ["GET"]) { $0.configuration.expirationTime = .seconds(5) }
        try fixture.stub("POST", "a", .text(200, "x"))
        let resource = fixture.resource("a")
        resource.load(using: resource.request("POST"))
        fixture.settle()
        fixture.advance(5)
        #expect(resource.isUpToDate)
        fixture.advance(1)
        #expect(!resource.isUpToDate)
    }

    @Test func `4.10 after a failed load without data the retry time holds`() throws {
        let resource = try answer(.response(500))
        #expect(resource.isUpToDate)
        fixture.advance(1)
        #expect(resource.isUpToDate)
        fixture.advance(0.5)
        #expect(!resource.isUpToDate)
    }

    @Test func `D4 fresh data stays up to date after a failed load`() throws {
        let resource = try answer(.text(200, "x"))
        try fixture.stub("GET", "a", .response(500))
        fixture.advance(2)
        resource.load()
        fixture.settle()
        #expect(resource.latestError != nil)
        fixture.advance(20)
        #expect(resource.isUpToDate)
        #expect(resource.loadIfNeeded() == nil)
        fixture.advance(9)
        #expect(!resource.isUpToDate)
    }

    @Test func `4.5 the timestamp is the later of data and error`() throws {
        let resource = try answer(.text(200, "x"))
        #expect(resource.timestamp == 1_000_000)
        try fixture.stub("GET", "a", .response(500))
        fixture.advance(2)
        resource.load()
        fixture.settle()
        #expect(resource.timestamp == 1_000_002)
        #expect(resource.latestData?.timestamp == 1_000_000)
    }

    @Test func `4.11 a 304 makes old data fresh`() throws {
        let resource = try answer(
            .response(headers: Headers([("ETag", "\"1\""), ("Content-Type", "text/plain")]), body: [0x78]))
        fixture.advance(100)
        try fixture.stub("GET", "a", .response(500))
        resource.load()
        fixture.settle()
        try fixture.stub("GET", "a", .response(304))
        resource.load()
        fixture.settle()
        #expect(resource.latestError == nil)
        #expect(resource.latestData?.timestamp == 1_000_100)
        #expect(resource.isUpToDate)
    }

    /// The seconds by which the clock is set: 800 days.
    private nonisolated static let jumps = [-69_120_000.0, 69_120_000]

    private func setClock(by seconds: Double) {
        fixture.clock.move(toUptime: fixture.clock.uptime, now: fixture.clock.now + seconds)
    }

    @Test(arguments: jumps)
    func `4.14 D43 a clock that is set makes data neither older nor younger`(jump: Double) throws {
        let resource = try answer(.text(200, "x"))
        let answerSnapshot = resource.answerSnapshotForReaders()
        fixture.advance(10)
        setClock(by: jump)
        #expect(resource.isUpToDate && resource.dataAgeSeconds == 10 && resource.summary.age == 10)
        let answer = try #require(answerSnapshot.answer(at: fixture.clock.uptime))
        #expect(answer.expiresAt - fixture.clock.uptime == 20 && answer.timestamp == 0)
        fixture.advance(20.5)
        #expect(!resource.isUpToDate && answerSnapshot.answer(at: fixture.clock.uptime) == nil)
        // Later loads have the current time of day.
        resource.load()
        fixture.settle()
        #expect(resource.isUpToDate && resource.dataAgeSeconds == 0)
        #expect(resource.latestData?.timestamp == fixture.clock.now)
    }

    @Test(arguments: jumps)
    func `D43 a failure holds off the next load for the retry time alone, however the clock is set`(
        jump: Double
    ) throws {
        let resource = try answer(.response(500))
        setClock(by: jump)
        #expect(resource.isUpToDate)
        fixture.advance(1.5)
        #expect(!resource.isUpToDate)
    }

    @Test(arguments: jumps)
    func `D43 a local change is new, and stays so for the expiration time`(jump: Double) throws {
        let resource = fixture.resource("a")
        resource.overrideLocalContent(.text("x"))
        setClock(by: jump)
        fixture.advance(29)
        #expect(resource.isUpToDate)
        fixture.advance(2)
        #expect(!resource.isUpToDate)
    }

    @Test func `4.15 defaults`() {
        let configuration = fixture.resource("a").configuration(for: "GET")
        #expect(configuration.expirationTime == .seconds(30))
        #expect(configuration.retryTime == .seconds(1))
        #expect(configuration.progressInterval == .seconds(0.05))
    }

    @Test(arguments: [200, 404, 304])
    func `4.16 a request changes no state, whatever its outcome`(status: Int) throws {
        let resource = try answer(.text(200, "x"))
        fixture.advance(3)
        let journal = Journal()
        fixture.noteEvents(in: journal)
        try fixture.stub("POST", "a", .text(status, "y"))
        resource.request("POST")
        #expect(resource.isRequesting && !resource.isLoading)
        fixture.settle()
        #expect(!resource.isRequesting)
        #expect(resource.latestData?.content.text == "x" && resource.latestError == nil)
        #expect(resource.timestamp == 1_000_000)
        #expect(journal.lines.isEmpty)
    }
}
