import RestEngine

/// Credentials of one name that all hosts have together, as the script uses them.
@EngineActor
final class SharedCredentialUse {
    private let name: String
    private weak var context: ScriptContext?
    /// The numbers of the credentials in use, by partition; see ``SharedCredentials/number``.
    private var numbers: [String?: Int64] = [:]
    private static let mostNumbers = 10_000

    init(_ name: String, _ context: ScriptContext) { (self.name, self.context) = (name, context) }

    /// A refresh that another host may make in place of this one.
    func refresh(for resource: Resource, _ own: @escaping RefreshBinding.OwnRefresh) -> RefreshGate.Refresh {
        let partition = resource.clientPartition
        return { [self] done in
            let key = partition.map { "\(name):\($0)" } ?? name
            guard let context, let coordination = context.engine.coordination else {
                return own { [self] in take($0, key, resource) }(done)
            }
            coordination.begin(
                SharedRefresh(key, refused: numbers[partition]) { [self] decision in
                    switch decision {
                    case .use(let credentials):
                        note(credentials.number, partition)
                        keep(credentials.value, key, until: credentials.expiresAt, resource)
                        done(.taken)
                    case .renew(let finish):
                        own { [self] result in
                            let outcome = take(result, key, resource)
                            switch outcome {
                            case .renewed, .taken:
                                let number = finish(
                                    .renewed(result.credentials, lifetime: result.lifetime))
                                note(number, partition)
                            case .failed: _ = finish(.failed)
                            }
                            return outcome
                        }(done)
                    }
                })
        }
    }

    private func note(_ number: Int64?, _ partition: String?) {
        if numbers.count >= Self.mostNumbers { numbers = [:] }
        numbers[partition] = number
    }

    /// Keeps what this host got itself.
    private func take(
        _ result: RefreshBinding.Result, _ key: String, _ resource: Resource
    ) -> RefreshGate.Outcome {
        guard let context, case .renewed = result.outcome else { return result.outcome }
        guard let credentials = result.credentials else {
            context.options.log(
                ScriptLogEntry(
                    level: .warn,
                    text:
                        "the function of rest.refresh_on { shared = \"\(name)\" } returned true and no credentials, so "
                        + "other hosts get none: return the token, and the seconds for which it is valid"))
            return .renewed
        }
        keep(credentials, key, until: result.lifetime.map { context.engine.scheduler.now + $0 }, resource)
        return .renewed
    }

    /// Puts them where blocks find them, and has the blocks run again.
    private func keep(_ credentials: Tree, _ key: String, until end: Double?, _ resource: Resource) {
        guard let context else { return }
        hide(credentials)
        let now = context.engine.scheduler.now
        do throws(ScriptStoreError) {
            try context.options.store.set(
                credentials, for: key, lifetime: end.map { max(0.001, $0 - now) }, at: now)
        } catch {
            context.options.log(
                ScriptLogEntry(level: .error, text: "the credentials '\(name)' are lost: the store is full"))
        }
        resource.service.invalidateConfigurationHere()
    }

    /// Neither log nor traces show them.
    private func hide(_ credentials: Tree) {
        if let text = credentials.string { SecretMask.hide(text) }
        for element in credentials.elements { hide(element) }
        for (_, value) in credentials.pairs { hide(value) }
    }
}
