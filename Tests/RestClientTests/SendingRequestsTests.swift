import RestClient
import TestSupport
import Testing

// The blocks of Relax's three guides to sending, with the renames of our guide "Calling an API with types".
// Their output is collected.

private enum MyService: APIService {
    static let baseURL = "https://example.com/"
    static let session = Session { service(named: "mine") }
    static let get = APIRequest(.get, parent: MyService.self)
}

private let customSession = Session { service(named: "custom") }

@EngineActor
private func service(named name: String) -> Service {
    let scheduler = Scheduler()
    let transport = StubTransport(scheduler: scheduler)
    try! transport.stub(method: "GET", urlGlob: "https://example.com/", .text(200, "Hello of \(name)"))
    try! transport.stub(method: "GET", urlGlob: "https://example.com/missing", .response(404))
    try! transport.stub(method: "GET", urlGlob: "https://example.com/user", .json(200, #"{"name": "Mona"}"#))
    return Service(engine: Engine(transport: transport, scheduler: scheduler), name: name, baseURL: nil)
}

struct SendingRequestsTests {
    /// Collects the output of a guide's block.
    private actor Printer {
        private(set) var lines: [String] = []

        func print(_ line: String) { lines.append(line) }
    }

    // MARK: Asynchronously

    @Test func `a request is sent and awaited`() async {
        let request = MyService.get
        let printer = Printer()
        let task = Task {
            do {
                let response = try await request.send()
                await printer.print("Data: \(response.text)")
                await printer.print("Status: \(response.status ?? 0)")
            } catch {
                await printer.print("Request failed - \(error)")
            }
        }
        await task.value
        #expect(await printer.lines == ["Data: Hello of mine", "Status: 200"])
    }

    @Test func `the session is overridden when a request is sent`() async throws {
        // through the session of MyService
        let response = try await MyService.get.send()

        // through another session, this time
        let other = try await MyService.get.send(session: customSession)

        // through a session of its own
        let detached = try await APIRequest(.get, url: "https://example.com/", session: customSession).send()
        #expect(
            [response, other, detached].map(\.text) == [
                "Hello of mine", "Hello of custom", "Hello of custom",
            ])
    }

    @Test func `an answer is decoded as what the context asks for`() async {
        let printer = Printer()
        let task = Task {
            do {
                let request = APIRequest(.get, url: "https://example.com/user", session: customSession)
                let user: Person = try await request.send()
                await printer.print("Received user: \(user.name)")
            } catch {
                await printer.print("Request failed - \(error)")
            }
        }
        await task.value
        #expect(await printer.lines == ["Received user: Mona"])
    }

    // MARK: With a completion handler

    /// Sends in `body`, and waits for the handler's output.
    private func printed(
        _ body: (@escaping @Sendable (String) -> Void) -> Void
    ) async -> String {
        await waiting(for: "what the handler prints") { notified in body(notified) } ?? "nothing"
    }

    @Test func `a handler gets the answer or the error`() async {
        func send(_ request: APIRequest) async -> String {
            await printed { print in
                request.send(session: customSession) { result in
                    switch result {
                    case .success(let response):
                        print("Data: \(response.text), status: \(response.status ?? 0)")
                    case .failure(let error):
                        print("Request failed - \(error)")
                    }
                }
            }
        }
        #expect(
            await send(APIRequest(.get, url: "https://example.com")) == "Data: Hello of custom, status: 200")
        #expect(await send(APIRequest(.get, url: "example.com")).hasPrefix("Request failed - "))
    }

    @Test func `the session is overridden when a handler is given`() async {
        // through the session of MyService
        let own = await printed { print in
            MyService.get.send { result in
                print((try? result.get())?.text ?? "")
            }
        }

        // through another session, this time
        let other = await printed { print in
            MyService.get.send(session: customSession) { result in
                print((try? result.get())?.text ?? "")
            }
        }
        #expect(own == "Hello of mine" && other == "Hello of custom")
    }

    @Test func `a handler gets what it is declared to take`() async {
        let request = APIRequest(.get, url: "https://example.com/user", session: customSession)
        let line = await printed { print in
            request.send { (result: Result<Person, RequestError>) in
                switch result {
                case .success(let user):
                    print("User: \(user.name)")
                case .failure(let error):
                    print("Request failed - \(error)")
                }
            }
        }
        #expect(line == "User: Mona")
    }

    // MARK: As a sequence, in the place of a publisher

    /// Collects a sequence's output until there is an answer or an error.
    private func lines(_ request: APIRequest) async -> [String] {
        var lines: [String] = []
        for await update in request.updates {
            if let error = update.error {
                lines.append("Request failed - \(error)")
                break
            }
            if let response = update.value {
                lines.append("Data: \(response.text)")
                lines.append("Status: \(response.status ?? 0)")
                break
            }
        }
        return lines
    }

    @Test func `a sequence gives the whole answer, through the session that is named`() async {
        #expect(await lines(MyService.get) == ["Data: Hello of mine", "Status: 200"])
        #expect(
            await lines(MyService.get.session(customSession)) == ["Data: Hello of custom", "Status: 200"])
        let detached = APIRequest(.get, url: "https://example.com", session: customSession)
        #expect(await lines(detached) == ["Data: Hello of custom", "Status: 200"])
        let missing = APIRequest(.get, url: "https://example.com/missing", session: customSession)
        #expect(await lines(missing) == ["Request failed - GET https://example.com/missing: Not found (404)"])
    }

    @Test func `a sequence gives the answer, or the error`() async {
        var lines: [String] = []
        let request = APIRequest(.get, url: "https://example.com/user", session: customSession)
        for await update in request.returning(Person.self).updates {
            if let error = update.error { lines.append("Request failed - \(error)") }
            guard let user = update.value else { continue }
            lines.append("User: \(user.name)")
            break
        }
        #expect(lines == ["User: Mona"])
    }
}
