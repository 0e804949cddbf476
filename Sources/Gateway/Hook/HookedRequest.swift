import RestEngine

/// A read of a resource that begins when the functions before it have run.
struct HookedRead: Sendable {
    /// Without its partition.
    let question: EngineClient.Question
    /// The resource of all clients answers the request.
    let isSharedRead: Bool
    /// The resource of a partition answers the request.
    let isPartitionRead: Bool
    /// The client's headers for the API, for a partition that is not known yet.
    let clientHeaders: ClientHeaders?

    /// Nil if the API has to be asked for this client alone.
    func question(in partition: String?) -> EngineClient.Question? {
        guard partition == nil ? isSharedRead : isPartitionRead else { return nil }
        guard let partition else { return question }
        var question = question
        question.path.partition = partition
        question.origin = question.origin?.with(clientHeaders?.moved(to: partition))
        return question
    }
}

/// A request of a client that meets hooks. Event loop only.
final class HookedRequest {
    private(set) var served: ServedRequest
    let after: [HookTable.Match<GatewayHook.After>]
    /// The headers for the API that a function chose; nil: those that the gateway lets through.
    private(set) var forward: [(name: String, value: String)]?
    /// The answer whose head is with the functions that run after it.
    var held: HeldAnswer?
    /// The functions that run after the answer have begun. They run once for each request.
    var hasRunAfter = false
    /// The fields of the head after these functions.
    var fields: [(String, String)]?

    struct HeldAnswer {
        let head: ResponseHead
        let body: AnswerBody?
        let outcome: RequestSeries.Outcome
        /// The code of the problem that is the answer.
        let code: String?
    }

    init(_ served: ServedRequest, after: [HookTable.Match<GatewayHook.After>]) {
        (self.served, self.after) = (served, after)
    }

    var partition: String? { served.partition }

    /// Takes the partition that the functions before the request chose, if they changed no header.
    func choose(_ partition: String?) { served.partition = partition }

    /// Takes what the functions before the request have decided.
    ///
    /// - Parameter forwarded: The headers that the gateway lets through.
    func proceed(forward: Headers, partition: String?, forwarded: Headers) {
        let own = served.partition
        served.partition = partition
        guard forward != forwarded else { return }
        let fields = forward.fields.map { (name: $0.name, value: $0.value) }
        self.forward = fields
        // The answer may depend on all that the functions chose.
        if partition == own, Partition.isOfCredentials(own) {
            served.partition = CredentialPartition.name(for: fields)
        }
    }

    var needsAfter: Bool { !after.isEmpty && !hasRunAfter }

    /// The head, with the fields that the functions left.
    func apply(to head: ResponseHead) -> ResponseHead {
        guard let fields else { return head }
        var head = head
        head.replaced = fields
        return head
    }
}
