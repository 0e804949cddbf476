/// The outcome of a request, before, between and after the stages of a pipeline.
public enum Response: Sendable {
    /// An entity, with its content at the stage.
    case success(Entity)
    /// A reference, like a success: a response is copied at each step of a request.
    indirect case failure(RequestError)

    /// The entity of a success, or the body of a failure.
    public var entity: Entity? {
        switch self {
        case .success(let entity): entity
        case .failure(let error): error.entity
        }
    }

    var isSuccess: Bool { if case .success = self { true } else { false } }

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
    /// The outcome itself.
    public var response: Response {
        // The outputs of the stages no longer belong to this response.
        didSet { stageOutputs = nil }
    }
    /// False only if a 304 confirmed the existing data (7.10).
    public var isNew: Bool
    /// For the caches of a GET's resource; nil for all other responses.
    private(set) var stageOutputs: StageOutputs?

    /// An outcome, by default a new one.
    public init(_ response: Response, isNew: Bool = true) {
        self.response = response
        self.isNew = isNew
    }

    init(_ response: Response, stageOutputs: StageOutputs?) {
        self.init(response)
        self.stageOutputs = stageOutputs
    }

    /// Whether the request was cancelled (7.11).
    public var isCancellation: Bool { response.isCancellation }

    /// The version of the resource's own pipeline; an empty one for content from elsewhere.
    @EngineActor
    func pipelineVersion(of resource: Resource) -> PipelineVersion {
        guard let stageOutputs, stageOutputs.resource === resource else { return PipelineVersion() }
        return stageOutputs.pipelineVersion
    }
}
