import RestEngine
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor
struct CustomRequestTests {
    let fixture = EngineFixture()
    let journal = Journal()

    /// Work that ends when the test says so.
    private final class Work: CustomRequest {
        let journal: Journal
        var completion: RequestCompletion?
        var progress = 0.0
        var progressInterval = Duration.milliseconds(50)
        var timeout: Duration?
        var isImmediate = false

        init(_ journal: Journal) { self.journal = journal }

        func start(_ completion: RequestCompletion) {
            journal.note("start, will ignore \(completion.willIgnore)")
            completion.onEnd = { [journal] in journal.note("end") }
            self.completion = completion
            if isImmediate { end("immediate") }
        }

        func cancel() { journal.note("cancel") }

        func repeated() -> any CustomRequest {
            journal.note("repeated")
            return Work(journal)
        }

        func end(_ text: String) {
            let isTaken = completion?.complete(.success(Entity(content: .text(text), timestamp: 0))) ?? false
            journal.note("taken \(isTaken), will ignore \(completion?.willIgnore ?? true)")
        }
    }

    private func make() -> (work: Work, request: Request) {
        let work = fixture.watch(Work(journal))
        return (work, fixture.watch(Request(engine: fixture.engine, custom: work)))
    }

    @Test("11.2: it starts on demand, and once")
    func start() {
        let (work, request) = make()
        fixture.settle()
        #expect(request.state == .notStarted && journal.take().isEmpty)
        request.start()
        request.start()
        #expect(request.state == .inProgress && journal.take() == ["start, will ignore false"])
        work.end("x")
        request.start()
        #expect(journal.take() == ["end", "taken true, will ignore true"])
        fixture.settle()
    }

    @Test("11.3: the outcome may come inside of start; hooks still run in a later tick")
    func immediate() {
        let (work, request) = make()
        work.isImmediate = true
        journal.follow(request)
        request.start()
        #expect(request.state == .completed)
        #expect(journal.take() == ["start, will ignore false", "end", "taken true, will ignore true"])
        fixture.settle()
        #expect(journal.lines == ["completion", "success immediate", "new_data"])
    }

    @Test("11.4 D33: without an answer it ends at the total time")
    func neverAnswering() {
        let (work, request) = make()
        request.start()
        fixture.advance(119)
        #expect(request.state == .inProgress)
        fixture.advance(2)
        #expect(request.state == .completed && request.info?.response.error?.code == "timeout")
        work.end("late")
        fixture.settle()
        #expect(request.info?.response.error?.code == "timeout")
    }

    @Test("7.12 11.3: a second outcome is ignored, and one warning logged")
    func duplicate() {
        let (work, request) = make()
        journal.follow(request)
        request.start()
        work.end("first")
        work.end("second")
        fixture.settle()
        work.end("third")
        fixture.settle()
        #expect(
            journal.lines == [
                "start, will ignore false", "end", "taken true, will ignore true",
                "taken false, will ignore true",
                "completion", "success first", "new_data", "taken false, will ignore true",
            ])
        #expect(fixture.log.map(\.text) == ["second outcome ignored: custom request"])
        #expect(fixture.log.first?.category == .warning)
    }

    @Test("7.12 8.5: what comes after a cancellation is ignored without a warning")
    func cancelled() {
        let (work, request) = make()
        journal.follow(request)
        request.start()
        request.cancel()
        #expect(request.isCancelled)
        work.end("late")
        fixture.settle()
        #expect(
            journal.lines == [
                "start, will ignore false", "end", "cancel", "taken false, will ignore true", "cancellation",
                "failure Request cancelled",
            ])
        #expect(fixture.log.isEmpty)
    }

    @Test("8.3: cancelled before its start, the work is left alone")
    func cancelledBefore() {
        let (_, request) = make()
        request.cancel()
        request.start()
        fixture.settle()
        #expect(request.isCancelled && journal.lines.isEmpty)
    }

    @Test("9.9: its work decides what a repeat is")
    func repeated() {
        let (work, request) = make()
        request.start()
        work.end("x")
        fixture.settle()
        _ = journal.take()
        let again = request.repeated()
        #expect(again !== request && again.state == .notStarted && journal.take() == ["repeated"])
    }

    @Test("11.1: progress is asked for at the work's interval, clamped, and never goes back")
    func progress() {
        let (work, request) = make()
        work.progressInterval = .seconds(2)
        request.onProgress { [journal] in journal.note("\($0)") }
        request.start()
        fixture.settle()
        for value in [0.25, 0.1, -3, .nan, 0.5, 7] {
            work.progress = value
            fixture.advance(2)
        }
        #expect(journal.take() == ["start, will ignore false", "0.0", "0.25", "0.5"])
        #expect(request.progress == 1 && request.state == .inProgress)
        work.end("x")
        fixture.settle()
        #expect(journal.lines.last == "1.0")
    }

    @Test("11.7: neither network nor pipeline; loads may use it")
    func loads() throws {
        let (work, request) = make()
        let resource = fixture.resource("a")
        resource.load(using: request)
        #expect(resource.isLoading && request.state == .inProgress)
        work.completion?.complete(
            .success(Entity(content: .bytes(Array("{".utf8)), contentType: "application/json", timestamp: 0)))
        fixture.settle()
        #expect(resource.latestData?.content.kind == "bytes")
        #expect(fixture.transport.requests.isEmpty)
    }

    @Test("D33: one that does not complete fails with timeout, and says where it was made")
    func timeout() {
        let (work, request) = make()
        request.start()
        fixture.advance(119)
        #expect(request.state == .inProgress)
        _ = journal.take()
        fixture.advance(2)
        #expect(journal.take() == ["end", "cancel"])
        let error = request.info?.response.error
        #expect(error?.code == "timeout")
        #expect("\(error.map { "\($0)" } ?? "")".contains("CustomRequestTests.swift:"))
        work.end("late")
        #expect(journal.take() == ["taken false, will ignore true"])
    }

    @Test("D33: the resource that it is loaded for has the time in its configuration")
    func configuredTimeout() throws {
        let (_, request) = make()
        try fixture.configure { $0.configuration.timeouts.total = .seconds(5) }
        let resource = fixture.resource("a")
        resource.load(using: request)
        fixture.advance(4)
        #expect(resource.isLoading)
        fixture.advance(2)
        #expect(resource.latestError?.code == "timeout" && !resource.isLoading)
    }

    @Test("D33 79.8: a time of its own comes first, and zero is over at once")
    func ownTimeout() {
        let (hasty, short) = make()
        hasty.timeout = .seconds(1.5)
        short.start()
        fixture.advance(2)
        #expect(short.info?.response.error?.reason.hasSuffix("within 1.5 seconds") == true)
        let (late, none) = make()
        late.timeout = .zero
        none.start()
        fixture.settle()
        #expect(none.info?.response.error?.code == "timeout")
    }

    @Test("a completion that nobody keeps leaves nothing alive")
    func dropped() {
        final class Careless: CustomRequest {
            func start(_ completion: RequestCompletion) {}
        }
        fixture.watch(Request(engine: fixture.engine, custom: Careless())).start()
        fixture.settle()
    }
}
