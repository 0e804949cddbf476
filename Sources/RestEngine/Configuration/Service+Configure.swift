extension Service {
    /// Adds a block that edits the configuration of matching resources: times, headers, mutators, decorators,
    /// pipeline (rules 14). Blocks run in the order in which they were added. Each runs for a resource and
    /// method when their configuration is first needed, and again after ``invalidateConfiguration()``.
    ///
    ///     service.configure("/users/**") { $0.expirationTime = .minutes(5) }
    ///
    /// - Parameters:
    ///   - methods: Nil for all.
    ///   - description: For `explain` and logs; if it is nil, the pattern and the line of the call.
    ///   - edit: If it throws, every request of the resource fails with that error. The requests also fail if
    ///     it fills a stage that does not run and whose name nearly equals that of another stage.
    ///   - pattern: The resources that it is for.
    ///   - fileID: The file of the caller, for messages.
    ///   - line: The line of the caller, for messages.
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

    /// Adds a transformer of content to a stage of matching resources (14.16). The parameter and result types
    /// of its function are the types of content that it accepts and makes; see ``TypedTransformer``.
    ///
    ///     service.configureTransformer("/users/*") { (user: Tree, _) in User(login:
    ///     user["login"]?.string ?? "") }
    ///
    /// - Parameters:
    ///   - action: Whether the other transformers of the stage are removed (14.17).
    ///   - contentTypes: Nil for all.
    ///   - onMismatch: The handling of content that is not an `Input` (17.5).
    ///   - transformErrors: Whether to transform the bodies of errors too (17.8).
    ///   - transformEmpty: Whether to transform a success without a body too (D30).
    ///   - onEngineLoop: Whether to run the function on the engine loop, where all other work waits for it;
    ///     otherwise it runs on another thread, see ``TypedTransformer``.
    ///   - transform: Gets content and its entity, returns new content; nil is a failure (17.6). If it throws
    ///     a ``RequestError``, the request fails with it; for any other error it fails with "Cannot parse
    ///     server response" (17.7).
    ///   - description: Its name in `explain` and messages.
    ///   - pattern: The resources that it is for.
    ///   - methods: The methods whose responses it gets.
    ///   - line: The line of the caller, for messages.
    ///   - stage: The stage that runs it.
    ///   - fileID: The file of the caller, for messages.
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

    /// Only when blocks run is it known whether an earlier block has added a stage of that name to the order.
    private func warn(ofStage stage: StageName, _ place: String) {
        guard let advice = stage.advice(among: Pipeline.defaultOrder, orderIs: "pipeline.order") else {
            return
        }
        engine.log.write(.warning, "\(place): \(advice)")
    }

    /// Decodes the content of matching resources, once for all its readers, including hooks and observers.
    ///
    ///     service.model(User.self, at: "/users/*")
    ///     let user = try await service.resource("/users/octocat").get(as: User.self)
    ///
    /// If the content does not match the type, the request fails with cause `undecodable_content`, which
    /// names the location and the mismatch; if the content is not a tree, with `wrong_input_type`. Content
    /// larger than 16 KiB is decoded off the engine loop; see ``TypedTransformer``.
    ///
    /// - Parameters:
    ///   - decoder: Sets how names are written, for example.
    ///   - onEngineLoop: Whether to decode large content on the engine loop too, where all other work waits
    ///     for it.
    ///   - description: Its name in `explain` and messages.
    ///   - pattern: The resources that it is for.
    ///   - line: The line of the caller, for messages.
    ///   - stage: The stage that runs it.
    ///   - fileID: The file of the caller, for messages.
    ///   - methods: The methods whose responses it gets.
    ///   - type: The type of the content.
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
    ///
    /// - Throws: The error of the pattern's own function.
    public func wipeResources(_ pattern: ResourcePattern) throws {
        let matches = pattern.matcher(for: self)
        try wipeResources { resource in
            guard let url = resource.url else { return false }
            return try matches(url)
        }
    }
}
