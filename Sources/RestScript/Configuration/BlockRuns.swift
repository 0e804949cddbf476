import JSONTools
import LuaRuntime
import RestEngine

/// The block that runs now, and the state that configuration blocks keep from one run to the next.
@EngineActor
final class BlockRuns {
    /// The block that runs now.
    private(set) var current: BlockRun?
    /// The caches that blocks made, by line.
    private var caches: [String: any EntityCache] = [:]
    /// Schemas that blocks gave as tables. A block runs once for each resource.
    private var schemas: [Tree: JSONSchema] = [:]
    private static let mostSchemas = 64
    /// Lines that a warning about the order of stages has already named.
    private var warnedPlaces: Set<String> = []
    /// Decorators that log in, by their function in Lua. Explanations of blocks use them; requests don't.
    private var authentications: [UnsafeRawPointer: (name: String, header: String?)] = [:]

    /// The identities of functions that configure definitions, by the function's address, so that a function
    /// that is given twice has one identity. An identity lives as long as its function is held.
    private var owners: [UnsafeRawPointer: WeakOwner] = [:]

    private struct WeakOwner {
        weak var owner: ConfigurationFunction.Identity.Owner?
    }

    /// Runs a block. Blocks may run inside other blocks.
    func run(_ gates: BlockGates, _ body: () throws -> Void) rethrows {
        let outer = current
        current = BlockRun(gates)
        defer { current = outer }
        try body()
    }

    /// Predicates and blocks for one URL share one time limit (limit L260), because there may be hundreds of
    /// them. The mutators of one request share one too, and its decorators do. The client of the request gets
    /// the error. The log has it once for each line of the script.
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

    /// A block runs once for each resource. A cache that a line of it makes is made only once.
    ///
    /// - Parameters:
    ///   - line: The line, and the arguments of its call.
    ///   - declarations: Counts a new cache, which stays until the script ends.
    func cache(
        at line: @autoclosure () -> String, _ declarations: ScriptDeclarations,
        _ make: () throws -> any EntityCache
    ) rethrows -> any EntityCache {
        guard current != nil else { return try make() }
        let line = line()
        if let known = caches[line] { return known }
        let new = try make()
        caches[line] = new
        declarations.keep(512 + line.utf8.count)
        return new
    }

    /// The schema of a table, which is compiled once.
    func schema(_ tree: Tree, _ compile: (Tree) throws -> JSONSchema) rethrows -> JSONSchema {
        if let known = schemas[tree] { return known }
        let new = try compile(tree)
        if schemas.count >= Self.mostSchemas { schemas = [:] }
        schemas[tree] = new
        return new
    }

    /// - Parameter header: The Authorization field that the function sends, if it is always the same.
    func noteAuthentication(_ name: String, header: String?, by function: UnsafeRawPointer?) {
        // Each run of a block makes its functions anew, and the earlier ones are gone.
        if authentications.count >= 1000 { authentications = [:] }
        if let function { authentications[function] = (name, header) }
    }

    func authentication(of function: UnsafeRawPointer?) -> (name: String, header: String?)? {
        function.flatMap { authentications[$0] }
    }

    /// The identity of a definition's function. It holds the function.
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

    /// True when the log has no warning for this line yet. A block runs for every resource, and one warning
    /// is enough.
    func mayWarn(of place: String?) -> Bool {
        warnedPlaces.count < Self.mostWarnedPlaces && warnedPlaces.insert(place ?? "").inserted
    }

    /// A script may make ever new places with `load`.
    private static let mostWarnedPlaces = 1000
}

/// One run of a block. A gate is identified by the line that asks for it, and by how many times that line
/// asked before in this run.
@EngineActor
final class BlockRun {
    let gates: BlockGates
    private var asked: [String: Int] = [:]
    /// The list of stage names that the block has read.
    var order: StageOrderList?
    /// The line at which the block last set each field.
    private var places: [String: ScriptLocation] = [:]

    /// - Parameter field: `retry`, or a field inside of it, `limits.rate`.
    func note(_ place: String?, of field: String) {
        guard let place = place.flatMap({ ScriptLocation($0) }) else { return }
        places[field.split(separator: ".").first.map(String.init) ?? field] = place
    }

    func place(of field: String) -> ScriptLocation? { places[field] }

    init(_ gates: BlockGates) { self.gates = gates }

    func gate(for place: String?, _ declarations: ScriptDeclarations) -> RefreshGate {
        let place = place ?? ""
        asked[place, default: 0] += 1
        return gates.gate("\(place) \(asked[place] ?? 1)", declarations)
    }
}

/// The gates of one configuration block. The block runs for each resource and again after each invalidation,
/// and each run makes its decorators anew. The state that these decorators share is here. It stays until the
/// script ends, so the script's declarations count it.
@EngineActor
final class BlockGates {
    private var gates: [String: RefreshGate] = [:]
    /// The digest state learned from servers' challenges, by user and password.
    private var digests: [[String]: DigestAuthentication] = [:]
    /// The most digest states so far.
    private var mostDigests = 0

    func gate(_ name: String, _ declarations: ScriptDeclarations) -> RefreshGate {
        if let known = gates[name] { return known }
        let gate = RefreshGate()
        gates[name] = gate
        declarations.keep(512)
        return gate
    }

    /// The same object for the same user and password, so that nonces stay known.
    func digest(
        _ user: String, _ password: String, _ declarations: ScriptDeclarations
    ) throws(CredentialFault) -> DigestAuthentication {
        if let known = digests[[user, password]] { return known }
        let new = try DigestAuthentication(user: user, password: password)
        // The number is limited, because a script may make up passwords.
        if digests.count >= 64 { digests = [:] }
        digests[[user, password]] = new
        if digests.count > mostDigests {
            mostDigests = digests.count
            declarations.keep(1024)
        }
        return new
    }
}
