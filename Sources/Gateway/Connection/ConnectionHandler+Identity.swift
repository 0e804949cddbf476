import NIOCore
import RestEngine

/// Finds out who the client of a request is.
extension ConnectionHandler {
    /// The time for a check of credentials, which may have to fetch keys.
    private static let mostCheckSeconds = 15.0

    enum Identification {
        case known(KnownClient)
        case refused(Problem)
        case pending(CredentialCheck, ShownCredentials)
    }

    /// A check of credentials that was begun for the request whose head is next.
    struct CheckedCredentials {
        let shown: ShownCredentials
        /// The result is for these rules alone, which number the clients.
        let rules: GatewayRules.Snapshot
        /// Nil while the check is under way.
        var result: Result<CheckedClient, Problem>?
    }

    /// The client of a request whose host was accepted.
    func identify(_ head: RequestHead, _ bytes: UnsafeRawBufferPointer) -> Identification {
        let access = loop.rules.access
        let shown = shown(head, bytes)
        if let assumed {
            return .known(
                KnownClient(
                    assumed, until: .infinity, shown, host: head.host.map { Array($0.bytes(in: bytes)) },
                    under: loop.rules))
        }
        let result = checked.flatMap { $0.shown == shown && $0.rules === loop.rules ? $0.result : nil }
        checked = nil
        switch access.identities.find(shown, secure?.certificate, checked: result) {
        case .client(let identity):
            return .known(
                KnownClient(
                    access.client(identity, secure?.certificate, at: listener.text), until: identity.until,
                    shown, host: head.host.map { Array($0.bytes(in: bytes)) }, under: loop.rules))
        case .refused(let problem): return .refused(problem)
        case .pending(let check): return .pending(check, shown)
        }
    }

    private func shown(_ head: RequestHead, _ bytes: UnsafeRawBufferPointer) -> ShownCredentials {
        let access = loop.rules.access
        return ShownCredentials(
            head, bytes, keysIn: access.identities.keyHeader, events: access.eventCredentials)
    }

    /// The client of a request that was decided, if it is the known one.
    func client(of head: RequestHead, _ bytes: UnsafeRawBufferPointer) -> GatewayLoop.Client? {
        guard let known else { return nil }
        let now = loop.batchStart
        if known.says(head, bytes, under: loop.rules, now: now) { return known.client }
        guard loop.rules.access.eventCredentials != nil,
            known.hasShown(shown(head, bytes), head, bytes, under: loop.rules, now: now)
        else { return nil }
        return known.client
    }

    /// Takes no request until the credentials of the next one are checked.
    func wait(for check: CredentialCheck, of shown: ShownCredentials, _ head: RequestHead) {
        checked = CheckedCredentials(shown: shown, rules: loop.rules)
        let number = machine.identify(until: loop.sweeps + loop.timeout.sweeps(Self.mostCheckSeconds))
        let connection = NIOLoopBound(self, eventLoop: loop.eventLoop)
        let address = machine.input.withUnsafeReadableBytes { addressName(head, $0) }
        check(address) { [mailbox = loop.mailbox] result in
            mailbox.send { connection.value.goOn(number, withCheck: result) }
        }
    }

    /// The credentials are checked, or the time for it is over. The request is decided now.
    func goOn(_ number: Int, withCheck result: Result<CheckedClient, Problem>) {
        guard let context, machine.endIdentifying(number, sweep: loop.sweeps) else { return }
        checked?.result = result
        answerRequests(context)
        flush(context)
    }

    // MARK: Streams

    /// Checks the client of a stream again, and ends the stream of one that may not have it any more.
    func renewIdentity() {
        guard let known else { return close() }
        let access = loop.rules.access
        switch access.identities.find(known.credentials, secure?.certificate) {
        case .client(let identity): goOn(as: identity)
        case .refused: close()
        case .pending(let check):
            guard checked == nil else { return }
            checked = CheckedCredentials(shown: known.credentials, rules: loop.rules)
            let connection = NIOLoopBound(self, eventLoop: loop.eventLoop)
            check(addressName(.none)) { [mailbox = loop.mailbox] result in
                mailbox.send { connection.value.goOnStreaming(withCheck: result) }
            }
        }
    }

    private func goOnStreaming(withCheck result: Result<CheckedClient, Problem>) {
        let rules = checked?.rules
        checked = nil
        guard carriesEvents, let known else { return }
        guard rules === loop.rules else { return renewIdentity() }
        switch loop.rules.access.identities.find(known.credentials, secure?.certificate, checked: result) {
        case .client(let identity): goOn(as: identity)
        case .refused, .pending: close()
        }
    }

    private func goOn(as identity: ClientIdentities.Identity) {
        let client = loop.rules.access.client(identity, secure?.certificate, at: listener.text)
        known = known?.renewed(client, until: identity.until, under: loop.rules)
        recheckPath(of: client)
    }
}

extension Problem {
    /// The credentials could not be checked in time.
    static var unchecked: Problem {
        Problem(
            503, "credentials_unchecked", "the credentials could not be checked in time",
            [("Retry-After", "10")])
    }
}
