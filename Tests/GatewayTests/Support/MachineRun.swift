import NIOCore

@testable import Gateway

/// One connection, and the next head on it.
struct MachineRun {
    private static let limits: GatewayLimits = {
        var limits = GatewayLimits()
        limits.headerTimeout = 2
        limits.idleTimeout = 5
        limits.minAnswerRate = 100
        return limits
    }()
    private static let timeout = ConnectionStateMachine.Timeouts(limits, sweepSeconds: 1)

    private static let client = GatewayLoop.Client(
        // It has no rules that could be wrong.
        accessPolicy: try! AccessPolicy(nil), isAuthorized: true, name: nil)

    private var machine = ConnectionStateMachine(limits: limits, sweep: 0)
    private var sweep = 0
    private var head = RequestHead()
    private var request = ClientRequest(unreadableAt: 0)

    /// The machine's answer to a step, in words.
    mutating func take(_ step: ConnectionStateMachineTests.Step) -> String {
        switch step {
        case .at(let sweep): self.sweep = sweep
        case .receive(let text):
            return machine.receive(ByteBuffer(string: text), sweep: sweep) ? "look" : "-"
        case .next: return next()
        case .skip: machine.skip(head, answeredWith: 10)
        case .take: return take(isLeaving: false)
        case .takeLeaving: return take(isLeaving: true)
        case .receiveBody: machine.receiveBody(of: request, sweep: sweep)
        case .pass(let timeout): machine.pass(request, sweep: sweep, timeout: timeout)
        case .hold: machine.holdBody(sweep: sweep)
        case .releaseBody(let number):
            return machine.releaseBody(number, sweep: sweep).map(Self.line) ?? "nil"
        case .beginAnswer(let number):
            return machine.beginAnswer(number, sweep: sweep).map(Self.line) ?? "nil"
        case .endAnswer(let closes):
            return machine.endAnswer(closes: closes, sweep: sweep) ? "last" : "goes on"
        case .wait(let until): machine.wait(for: request, until: until)
        case .extend(let number, let until): machine.extend(number, until: until)
        case .resume(let number): return machine.resume(number, sweep: sweep).map(Self.line) ?? "nil"
        case .answer(let bytes, let closes):
            return machine.answer(request, bytes: bytes, closes: closes) ? "last" : "goes on"
        case .out: return machine.lastAnswerIsOut(sweep: sweep).map { "\($0)" } ?? "nil"
        case .sweep(let unsent):
            return "\(machine.sweep(sweep, unsentBytes: unsent, timeout: Self.timeout))"
        case .writable(let isWritable): return machine.setWritable(isWritable, sweep: sweep) ? "look" : "-"
        case .mayRead: return "\(machine.mayRead())"
        case .release: return "\(machine.releaseRead())"
        case .surplus: machine.becomeSurplus()
        case .close: machine.close()
        case .leave: return machine.leave(sweep: sweep) ? "close" : "stays"
        case .idle(let unsent): return "\(machine.isIdle(unsentBytes: unsent, sweep: sweep))"
        case .quiet: return "\(machine.isQuiet)"
        }
        return ""
    }

    private mutating func next() -> String {
        switch machine.next(sweep: sweep) {
        case .none: return "none"
        case .fault(let fault): return "\(fault)"
        case .part(let part): return String(buffer: part)
        case .grown(let part): return "grown " + String(buffer: part)
        case .streamed(let part): return "through " + String(buffer: part)
        case .streamedEnd: return "through"
        case .complete(let request): return "complete " + Self.line(request)
        case .request(let head):
            self.head = head
            return machine.input.withUnsafeReadableBytes { bytes in
                let (method, target) = (head.methodRange.bytes(in: bytes), head.target.bytes(in: bytes))
                return String(decoding: method, as: UTF8.self) + " " + String(decoding: target, as: UTF8.self)
            }
        }
    }

    private mutating func take(isLeaving: Bool) -> String {
        request = machine.take(head, of: Self.client, isLeaving: isLeaving, startedAt: nil)
        let end = request.framing.closes ? " close" : request.framing.saysKeepAlive ? " keep-alive" : ""
        return "\(request.number) \(Self.line(request))\(end)"
    }

    private static func line(_ request: ClientRequest) -> String {
        "\(request.method) \(String(decoding: request.target, as: UTF8.self))"
    }
}
