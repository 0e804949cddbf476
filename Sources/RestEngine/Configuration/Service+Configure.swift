extension Service {
    /// Adds a block that edits the configuration of matching resources: times, headers, mutators, decorators,
    /// pipeline (rules 14). Blocks run in the order of adding, each for a resource and method when it is
    /// first needed, and again after ``invalidateConfiguration()``.
    ///
    ///     service.configure("/users/**") { $0.expirationTime = .minutes(5) }
    ///
    /// - Parameters:
    ///   - methods: Nil for all.
    ///   - description: For `explain` and logs; the pattern and the place of the call, if there is none.
    ///   - edit: When it throws, every request of the resource fails with that error. So does one that fills
    ///     a stage that nothing runs and that is named nearly as another.
    public func configure(
        _ pattern: ResourcePattern = .all, methods: Set<Method>? = nil, description: String? = nil,
        fileID: String = #fileID, line: Int = #line,
        _ edit: @escaping @EngineActor (inout Configuration) throws -> Void
    ) {
        configure(
            ConfigurationEntry(
                pattern: pattern.compiled(for: self), methods: methods,
                description: description ?? pattern.description, origin: "\(fileID):\(line)"
            ) { draft in
                let before = draft.configuration
                try edit(&draft.configuration)
                try draft.configuration.refuseMisspeltStages(since: before)
                try draft.configuration.refuseSenselessAttempts()
            })
    }

    /// Adds a transformer of content to a stage of matching resources (14.16). The types of its function say
    /// what it takes and gives; see ``TypedTransformer``.
    ///
    ///     service.configureTransformer("/users/*") { (user: Tree, _) in User(login:
    ///     user["login"]?.string ?? "") }
    ///
    /// - Parameters:
    ///   - action: Whether the stage's other transformers go first (14.17).
    ///   - contentTypes: Nil for all.
    ///   - onMismatch: What becomes of content that is no `Input` (17.5).
    ///   - transformErrors: Whether the bodies of errors are transformed as well (17.8).
    ///   - transformEmpty: Whether a success without a body is transformed as well (D30).
    ///   - onEngineLoop: Whether the function runs on the engine loop, where everything else waits for it;
    ///     else it runs on another thread, see ``TypedTransformer``.
    ///   - transform: Content and its entity in, new content out; nil is a failure (17.6). It may throw a
    ///     ``RequestError`` to fail with it, or anything else to fail with "Cannot parse server response"
    ///     (17.7).
    public func configureTransformer<Input, Output: Sendable>(
        _ pattern: ResourcePattern, stage: StageName = .model, action: StageAction = .replace,
        methods: Set<Method>? = Method.ofTransformers, contentTypes: [String]? = nil,
        onMismatch: InputMismatch = .error, transformErrors: Bool = false, transformEmpty: Bool = false,
        onEngineLoop: Bool = false, description: String? = nil, fileID: String = #fileID, line: Int = #line,
        _ transform: @escaping @Sendable (Input, Entity) throws -> Output?
    ) {
        var transformer = TypedTransformer(
            description: description ?? "\(Input.self) → \(Output.self) at \(fileID):\(line)",
            onMismatch: onMismatch, transformErrors: transformErrors, transformEmpty: transformEmpty,
            transform)
        transformer.onEngineLoop = onEngineLoop
        add(
            transformer, pattern, stage, action, methods, contentTypes,
            description: description ?? "\(pattern): \(Input.self) → \(Output.self) in \(stage)",
            origin: "\(fileID):\(line)")
    }

    private func add(
        _ transformer: any Transformer, _ pattern: ResourcePattern, _ stage: StageName, _ action: StageAction,
        _ methods: Set<Method>?, _ contentTypes: [String]?, description: String, origin: String
    ) {
        warn(ofStage: stage, origin)
        configure(
            ConfigurationEntry(
                pattern: pattern.compiled(for: self), methods: methods, description: description,
                origin: origin, isUniform: true
            ) { draft in
                if let advice = stage.advice(
                    among: draft.configuration.pipeline.order, orderIs: "pipeline.order")
                {
                    throw RequestError.CauseError(.internal(message: advice))
                }
                if action == .replace { draft.configuration.pipeline[stage].removeTransformers() }
                draft.configuration.pipeline[stage].add(transformer, contentTypes: contentTypes)
            })
    }

    /// Whether an earlier block has put a stage of that name into the order is known once blocks run.
    private func warn(ofStage stage: StageName, _ place: String) {
        guard let advice = stage.advice(among: Pipeline.defaultOrder, orderIs: "pipeline.order") else {
            return
        }
        engine.log.write(.warning, "\(place): \(advice)")
    }

    /// Has the content of matching resources decoded, once for all who ask, hooks and observers too.
    ///
    ///     service.model(User.self, at: "/users/*")
    ///     let user = try await service.resource("/users/octocat").get(as: User.self)
    ///
    /// Content that is not what the type wants fails the request with cause `undecodable_content`, which says
    /// what is wrong where; content that is no tree, with `wrong_input_type`. What is larger than 16 KiB is
    /// decoded beside the engine loop; see ``TypedTransformer``.
    ///
    /// - Parameters:
    ///   - decoder: Says how names are written, for example.
    ///   - onEngineLoop: Whether large content is decoded on the engine loop too, where everything else waits
    ///     for it.
    public func model<Model: Decodable & Sendable>(
        _ type: Model.Type, at pattern: ResourcePattern, stage: StageName = .model,
        methods: Set<Method>? = Method.ofTransformers, decoder: TreeDecoder = TreeDecoder(),
        onEngineLoop: Bool = false, description: String? = nil, fileID: String = #fileID, line: Int = #line
    ) {
        var transformer = TypedTransformer(
            description: description ?? "model \(type) at \(fileID):\(line)", onMismatch: .skipIfOutputMatches
        ) { (content: Tree, _) -> Model? in
            try decoder.decode(type, from: content)
        }
        transformer.onEngineLoop = onEngineLoop
        transformer.leastSize = LargeContent.leastSize
        add(
            transformer, pattern, stage, .replace, methods, nil,
            description: description ?? "\(pattern): Tree → \(type) in \(stage)", origin: "\(fileID):\(line)")
    }

    /// Wipes the live resources that match (1.11).
    public func wipeResources(_ pattern: ResourcePattern) throws {
        let matches = pattern.matcher(for: self)
        try wipeResources { resource in
            guard let url = resource.url else { return false }
            return try matches(url)
        }
    }
}
