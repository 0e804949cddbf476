import RestEngine
import TestSupport
import Testing

@EngineActor
private func state(of resource: Resource) -> String {
    "\(resource.allRequests.count) requests, \(resource.loadRequests.count) loads, "
        + "data \(resource.latestData?.content.text ?? "nil"), error \(resource.latestError?.userMessage ?? "nil")"
}

/// The order of section 30, tick by tick. Observers have their own tests; here the resource's events stand
/// for them.
@Suite(.leakChecked) @EngineActor
struct OrderingTests {
    let fixture = EngineFixture()
    let journal = Journal()

    /// A resource whose requests a decorator watches, with the stub that answers.
    private func prepare(_ method: Method = "GET", isHeld: Bool = false, reply: StubReply = .text(200, "x"))
        throws
        -> (resource: Resource, stub: StubTransport.Stub)
    {
        try fixture.configure { [journal] draft in
            draft.configuration.mutators.append { _ in journal.note("built") }
            draft.configuration.decorators.append { resource, request in
                journal.note("decorated, \(resource.allRequests.count) requests")
                request.onProgress { journal.note("decorator: progress \($0)") }
                return request.onCompletion { [unowned resource] _ in
                    journal.note("decorator: \(state(of: resource))")
                }
            }
        }
        fixture.noteEvents(in: journal)
        return (fixture.resource("a"), try fixture.stub(method, "a", isHeld: isHeld, reply))
    }

    private func follow(_ request: Request, _ resource: Resource) {
        request.onCompletion { [journal, unowned resource] _ in journal.note("caller: \(state(of: resource))")
        }
        request.onSuccess { [journal] _ in journal.note("caller: success") }
        request.onProgress { [journal] in journal.note("caller: progress \($0)") }
        request.onFailure { [journal] _ in journal.note("caller: failure") }
    }

    private let untouched = "data nil, error nil"

    @Test("30: load, success")
    func load() throws {
        let (resource, stub) = try prepare(isHeld: true)
        let request = resource.load()
        #expect(journal.take() == ["built", "decorated, 0 requests", "a: requested"])
        #expect(state(of: resource) == "1 requests, 1 loads, \(untouched)")
        #expect(request.state == .inProgress && stub.requests.count == 1)
        follow(request, resource)
        fixture.settle()
        _ = journal.take()
        stub.go()
        fixture.runTick()
        #expect(request.state == .completed && request.progress == 1 && journal.take().isEmpty)
        #expect(state(of: resource) == "1 requests, 1 loads, \(untouched)")
        fixture.runTick()
        #expect(
            journal.take() == [
                "decorator: progress 1.0", "caller: progress 1.0",
                "decorator: 1 requests, 1 loads, \(untouched)",
                "a: new_data(network)", "caller: 0 requests, 0 loads, data x, error nil", "caller: success",
            ])
        #expect(!fixture.scheduler.hasWork)
    }

    @Test("30: load, failure and 304")
    func others() throws {
        let (resource, stub) = try prepare(reply: .response(500))
        follow(resource.load(), resource)
        fixture.settle()
        #expect(
            journal.take().suffix(4) == [
                "decorator: 1 requests, 1 loads, \(untouched)", "a: error",
                "caller: 0 requests, 0 loads, data nil, error Internal server error", "caller: failure",
            ])
        #expect(stub.requests.count == 1)
        resource.overrideLocalContent(.text("old"))
        try fixture.stub("GET", "a", .response(304))
        _ = journal.take()
        follow(resource.load(), resource)
        fixture.settle()
        #expect(
            journal.take().suffix(4) == [
                "decorator: 1 requests, 1 loads, data old, error nil", "a: not_modified",
                "caller: 0 requests, 0 loads, data old, error nil", "caller: success",
            ])
    }

    @Test("30: request")
    func request() throws {
        let (resource, _) = try prepare("POST")
        follow(resource.request("POST"), resource)
        #expect(journal.take() == ["built", "decorated, 0 requests"])
        #expect(state(of: resource) == "1 requests, 0 loads, \(untouched)")
        fixture.runTick()
        #expect(journal.take().isEmpty)
        fixture.runTick()
        #expect(
            journal.take() == [
                "decorator: progress 1.0", "caller: progress 1.0",
                "decorator: 1 requests, 0 loads, \(untouched)",
                "caller: 0 requests, 0 loads, \(untouched)", "caller: success",
            ])
    }

    @Test("30 8.1: cancel")
    func cancel() throws {
        let (resource, _) = try prepare(isHeld: true)
        let request = resource.load()
        follow(request, resource)
        fixture.settle()
        _ = journal.take()
        request.cancel()
        #expect(request.state == .completed && request.progress == 1 && journal.take().isEmpty)
        #expect(state(of: resource) == "1 requests, 1 loads, \(untouched)")
        fixture.runTick()
        #expect(
            journal.take() == [
                "decorator: progress 1.0", "caller: progress 1.0",
                "decorator: 1 requests, 1 loads, \(untouched)",
                "a: request_cancelled", "caller: 0 requests, 0 loads, \(untouched)", "caller: failure",
            ])
        #expect(!fixture.scheduler.hasWork)
    }

    @Test("30 21.5: wipe with loads in flight")
    func wipe() throws {
        let (resource, _) = try prepare(isHeld: true)
        let requests = [resource.load(), resource.load()]
        requests.forEach { follow($0, resource) }
        fixture.settle()
        _ = journal.take()
        resource.wipe()
        #expect(journal.take() == ["a: new_data(wipe)"])
        #expect(requests.map(\.isCancelled) == [true, true])
        #expect(state(of: resource) == "2 requests, 2 loads, \(untouched)")
        fixture.runTick()
        #expect(
            journal.take() == [
                "decorator: progress 1.0", "caller: progress 1.0",
                "decorator: 2 requests, 2 loads, \(untouched)",
                "a: request_cancelled", "caller: 1 requests, 1 loads, \(untouched)", "caller: failure",
                "decorator: progress 1.0", "caller: progress 1.0",
                "decorator: 1 requests, 1 loads, \(untouched)",
                "a: request_cancelled", "caller: 0 requests, 0 loads, \(untouched)", "caller: failure",
            ])
    }

    @Test("30 5.15: a failure in the client, promoted to a load")
    func clientFailure() throws {
        let (resource, _) = try prepare()
        let failed = resource.failedRequest(.unparsableImage, method: "GET")
        follow(failed, resource)
        resource.load(using: failed)
        #expect(journal.take() == ["a: requested"])
        #expect(state(of: resource) == "0 requests, 1 loads, \(untouched)")
        fixture.runTick()
        let after = "0 requests, 0 loads, data nil, error Cannot parse server response"
        // The caller's request came first here.
        #expect(
            journal.take() == [
                "caller: 0 requests, 1 loads, \(untouched)", "caller: progress 1.0", "caller: failure",
                "a: error",
            ])
        #expect(state(of: resource) == after)
    }

    @Test("30 7.7: a late hook has its own later tick")
    func lateHook() throws {
        let (resource, _) = try prepare()
        let request = resource.load()
        fixture.settle()
        _ = journal.take()
        follow(request, resource)
        #expect(journal.take().isEmpty)
        fixture.runTick()
        #expect(
            journal.take() == [
                "caller: 0 requests, 0 loads, data x, error nil", "caller: success", "caller: progress 1.0",
            ])
    }

    @Test("30 10.1: a load through a chain tells each thing once, a tick after its request")
    func chain() throws {
        try fixture.configure {
            $0.configuration.decorators.append { _, request in request.chained { _ in .useThisResponse } }
        }
        let (resource, _) = try prepare()
        follow(resource.load(), resource)
        _ = journal.take()
        fixture.runTick()
        fixture.runTick()
        #expect(journal.take() == ["decorator: progress 0.0", "caller: progress 0.0"])
        fixture.runTick()
        #expect(
            journal.take() == [
                "decorator: progress 1.0", "caller: progress 1.0",
                "decorator: 1 requests, 1 loads, \(untouched)",
                "a: new_data(network)", "caller: 0 requests, 0 loads, data x, error nil", "caller: success",
            ])
    }
}
