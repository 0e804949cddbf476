import LuaRuntime
import RestEngine

/// `rest.refresh_on(predicate, fn)`; the rules are ``RefreshGate``'s.
extension ScriptContext {
    var refreshOn: ModuleFunction {
        ModuleFunction(
            "refresh_on",
            "(predicate: integer | function(err) -> boolean, fn: function() -> (true | nil, error)) "
                + "-> function(resource, request) -> request",
            "A decorator that renews a token: fn runs once for all requests that were refused together, and each is "
                + "repeated once."
        ) { [unowned self] call in
            let predicate = try refreshPredicate(call)
            let refresh = refresh(try call.scriptFunction(2, "fn"))
            let gate =
                blockRun?.gate(for: call.lua.callerPlace.map { "\($0.file):\($0.line)" }) ?? RefreshGate()
            let decorate = gate.decorator(when: predicate, refresh: refresh)
            call.lua.push(
                function: hostFunction { [unowned self] call in
                    let resource = try call.object(1, "resource", as: Resource.self, expected: "resource")
                    let request = try call.object(2, "request", as: Request.self, expected: "request")
                    push(try decorate(resource, request), on: call.lua)
                    return .one
                }, name: "rest.refresh_on(…)")
            return .one
        }
    }

    private func refreshPredicate(_ call: Arguments) throws -> RefreshGate.Predicate {
        if call.type(1) == .number {
            let status = try call.integer(1, "predicate")
            guard (100...599).contains(status) else {
                throw call.bad(1, "predicate", "a status is 100 to 599")
            }
            return { $0.httpStatusCode == Int(status) }
        }
        guard call.lua.isCallable(call.slot(1)) else {
            throw call.wrongType(1, "predicate", "status or function of the error")
        }
        let function = try call.scriptFunction(1, "predicate")
        return { [weak self] error in
            guard let self else { throw ScriptContext.closed }
            return try self.call(function, phase: phases.refreshPredicate) { lua in
                pushError(error, on: lua)
                return 1
            } read: { lua in
                lua.isTruthy(-1)
            }
        }
    }

    private func refresh(_ function: ScriptFunction) -> RefreshGate.Refresh {
        { [weak self] done in
            guard let self, !isClosed else {
                return done(.failed(RequestError(thrown: ScriptContext.closed, timestamp: 0)))
            }
            run(function.reference, arguments: { _ in 0 }) { [self] lua, result in
                done(outcome(lua, result))
            }
        }
    }

    /// True, or anything like it, is a success; nil or false may be followed by an error, or by its message.
    private func outcome(_ lua: Lua, _ result: Result<Int32, LuaError>) -> RefreshGate.Outcome {
        switch result {
        case .failure(let error): return .failed(requestError(of: error))
        case .success(let count):
            let place = lua.top - count + 1
            if count > 0, lua.isTruthy(place) { return .renewed }
            guard count > 1 else { return .failed(nil) }
            if let box = lua.object(place + 1, as: ScriptErrorBox.self) { return .failed(box.error) }
            return .failed(
                lua.string(place + 1).map { RequestError(userMessage: $0, timestamp: engine.scheduler.now) })
        }
    }
}

/// The gates of one configuration block. The block runs for each resource and again after each invalidation, and each
/// time it makes its decorators anew; what they share lives here.
@EngineActor
final class BlockGates {
    private var gates: [String: RefreshGate] = [:]
    /// By user and password.
    private var digests: [[String]: DigestAuthentication] = [:]

    func gate(_ name: String) -> RefreshGate {
        if let known = gates[name] { return known }
        let gate = RefreshGate()
        gates[name] = gate
        return gate
    }
}

extension BlockGates {
    /// The same for the same user and password, so that nonces are known again.
    func digest(_ user: String, _ password: String) throws(CredentialFault) -> DigestAuthentication {
        if let known = digests[[user, password]] { return known }
        let new = try DigestAuthentication(user: user, password: password)
        // A script that makes up passwords doesn't fill the memory with them.
        if digests.count >= 64 { digests = [:] }
        digests[[user, password]] = new
        return new
    }
}

/// One run of a block. A gate is known again by the line that asks for it, and how often that line did so before.
@EngineActor
final class BlockRun {
    let gates: BlockGates
    private var asked: [String: Int] = [:]
    /// The stage names that the block has in hand.
    var order: StageOrderList?

    init(_ gates: BlockGates) { self.gates = gates }

    func gate(for place: String?) -> RefreshGate {
        let place = place ?? ""
        asked[place, default: 0] += 1
        return gates.gate("\(place) \(asked[place] ?? 1)")
    }
}
