/// The outcome of a request, before, between and after the stages of a pipeline.
public enum Response: Sendable {
    case success(Entity)
    /// One reference, as a success is: a response is copied at each step of a request.
    indirect case failure(RequestError)

    /// Of a success, or the body of a failure.
    public var entity: Entity? {
        switch self {
        case .success(let entity): entity
        case .failure(let error): error.entity
        }
    }

    /// The error of a failure; nil for a success.
    public var error: RequestError? {
        if case .failure(let error) = self { error } else { nil }
    }

    /// True for the failure of a request that was cancelled (rule 7.11).
    public var isCancellation: Bool {
        if case .requestCancelled? = error?.cause { true } else { false }
    }
}

/// An outcome as hooks see it.
public struct ResponseInfo: Sendable {
    public var response: Response {
        // What the stages made is not what this response is made of any more.
        didSet { stageOutputs = nil }
    }
    /// False only when a 304 confirmed the data that was there (7.10).
    public var isNew: Bool
    /// For the caches of the resource that a GET was for; nil for all other responses.
    private(set) var stageOutputs: StageOutputs?

    /// An outcome that is new, unless it is said otherwise.
    public init(_ response: Response, isNew: Bool = true) {
        self.response = response
        self.isNew = isNew
    }

    init(_ response: Response, stageOutputs: StageOutputs?) {
        self.init(response)
        self.stageOutputs = stageOutputs
    }

    /// The request was cancelled (7.11).
    public var isCancellation: Bool { response.isCancellation }

    /// Of the resource's own pipeline; none for what came from elsewhere.
    @EngineActor
    func pipelineVersion(of resource: Resource) -> PipelineVersion {
        guard let stageOutputs, stageOutputs.resource === resource else { return PipelineVersion() }
        return stageOutputs.pipelineVersion
    }
}
