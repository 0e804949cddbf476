import LuaRuntime
import RestEngine

/// What configuration blocks share from one run to the next, and which of them runs now.
@EngineActor
final class BlockRuns {
    /// The block that runs now.
    private(set) var current: BlockRun?
    /// The caches that blocks made, by line.
    private var caches: [String: any EntityCache] = [:]
    /// Lines whose order of stages was warned of.
    private var warnedPlaces: Set<String> = []
    /// Decorators that log in, by the function that scripts have: for those who look at blocks, not for those
    /// who run them.
    private var authentications: [UnsafeRawPointer: (name: String, header: String?)] = [:]

    /// Of functions that configure definitions, by their address: the same function is the same, however
    /// often it is given. Each lives as long as its function is held.
    private var owners: [UnsafeRawPointer: WeakOwner] = [:]

    private struct WeakOwner {
        weak var owner: ConfigurationFunction.Identity.Owner?
    }

    /// Runs a block; blocks may run inside of others.
    func run(_ gates: BlockGates, _ body: () throws -> Void) rethrows {
        let outer = current
        current = BlockRun(gates)
        defer { current = outer }
        try body()
    }

    /// Predicates and blocks for one URL have their time together (limit L260): there may be hundreds of
    /// them. The client of a request gets the error; who wrote them reads of it once for each line.
    func limit(_ context: ScriptContext, _ url: URLText, _ work: () throws -> Void) throws {
        do { try context.state.limited(by: context.phases.matching, work) } catch {
            let name = context.phases.matching.name
            if case .scriptLimit(_, _, _, let failure)? = (error as? RequestError.CauseError)?.cause,
                failure.message.hasPrefix(name)
            {
                let place = failure.file.map { "\($0):\(failure.line ?? 0)" }
                if mayWarn(of: place) {
                    context.options.log(
                        ScriptLogEntry(
                            level: .error, text: "\(url.string): \(failure.message)", place: place))
                }
            }
            throw error
        }
    }

    /// Blocks run again and again, once for each resource; what a line of a block makes is made once.
    ///
    /// - Parameter line: with what the script wants there.
    func cache(at line: @autoclosure () -> String, _ make: () throws -> any EntityCache) rethrows
        -> any EntityCache
    {
        guard current != nil else { return try make() }
        let line = line()
        if let known = caches[line] { return known }
        let new = try make()
        caches[line] = new
        return new
    }

    /// - Parameter header: The Authorization field that the function sends, if it is always the same.
    func noteAuthentication(_ name: String, header: String?, by function: UnsafeRawPointer?) {
        // Each run of a block makes its functions anew, and those before are gone.
        if authentications.count >= 1000 { authentications = [:] }
        if let function { authentications[function] = (name, header) }
    }

    func authentication(of function: UnsafeRawPointer?) -> (name: String, header: String?)? {
        function.flatMap { authentications[$0] }
    }

    /// What makes a function of a definition known again; it holds the function.
    func identity(
        of function: LuaReference, at address: UnsafeRawPointer?
    ) -> ConfigurationFunction.Identity {
        let kept: @EngineActor () -> Void = { _ = function }
        if let owner = address.flatMap({ owners[$0]?.owner }) {
            return ConfigurationFunction.Identity(owner, keeping: kept)
        }
        let owner = ConfigurationFunction.Identity.Owner()
        if owners.count >= 1000 { owners = owners.filter { $0.value.owner != nil } }
        if let address { owners[address] = WeakOwner(owner: owner) }
        return ConfigurationFunction.Identity(owner, keeping: kept)
    }

    /// Whether a line is to be warned of. The block that it is in runs for every resource; once is enough.
    func mayWarn(of place: String?) -> Bool { warnedPlaces.insert(place ?? "").inserted }
}

/// One run of a block. A gate is known again by the line that asks for it, and how often that line did so
/// before.
@EngineActor
final class BlockRun {
    let gates: BlockGates
    private var asked: [String: Int] = [:]
    /// The stage names that the block has in hand.
    var order: StageOrderList?
    /// Where the block set a field last.
    private var places: [String: ScriptLocation] = [:]

    /// - Parameter field: `retry`, or a field inside of it, `limits.rate`.
    func note(_ place: String?, of field: String) {
        guard let place = place.flatMap({ ScriptLocation($0) }) else { return }
        places[field.split(separator: ".").first.map(String.init) ?? field] = place
    }

    func place(of field: String) -> ScriptLocation? { places[field] }

    init(_ gates: BlockGates) { self.gates = gates }

    func gate(for place: String?) -> RefreshGate {
        let place = place ?? ""
        asked[place, default: 0] += 1
        return gates.gate("\(place) \(asked[place] ?? 1)")
    }
}

/// The gates of one configuration block. The block runs for each resource and again after each invalidation,
/// and each time it makes its decorators anew; what they share lives here.
@EngineActor
final class BlockGates {
    private var gates: [String: RefreshGate] = [:]
    /// What has been learned of servers' challenges, by user and password.
    private var digests: [[String]: DigestAuthentication] = [:]

    func gate(_ name: String) -> RefreshGate {
        if let known = gates[name] { return known }
        let gate = RefreshGate()
        gates[name] = gate
        return gate
    }

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
