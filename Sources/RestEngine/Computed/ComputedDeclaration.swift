/// How the resources of a path are computed.
package final class ComputedDeclaration: Sendable {
    /// Makes the work of one computation. Its outcome is the content of the resource.
    package typealias Work = @EngineActor @Sendable ([String: String], Resource) -> any CustomRequest

    let path: PathPattern
    /// Nil: as configured.
    let expirationSeconds: Double?
    /// Whether new data of a source makes the resource stale.
    let follows: Bool
    /// `file:line`.
    let origin: String?
    let work: Work

    package init(
        path: PathPattern, expirationSeconds: Double?, follows: Bool, origin: String?, work: @escaping Work
    ) {
        (self.path, self.expirationSeconds, self.follows) = (path, expirationSeconds, follows)
        (self.origin, self.work) = (origin, work)
    }
}

extension Service {
    /// Makes the content of matching resources from other resources: the function reads them, and returns the
    /// content. It is called when such a resource is loaded.
    ///
    ///     service.computed("/dash/{user}") { names, _ in
    ///         let user = try await users.resource("/\(names["user"]!)").get(as: User.self)
    ///         return Content(Tree(pairs: [("name", Tree(user.name))]))
    ///     }
    ///
    /// The resources that it reads are the *sources* (rules 71). New data of a source makes the computed
    /// resource stale; while it has observers, it observes its sources, and is computed again when they
    /// change. Its timestamp is that of its oldest source. A circle of computed resources is an error. The
    /// content goes through the pipeline, with its caches. Only GET and HEAD are possible.
    ///
    /// - Parameters:
    ///   - path: Below the base URL of the service.
    ///   - expirationTime: Counted from the computation; nil: as configured.
    ///   - follows: If false, only the expiration time makes the resource stale.
    ///   - compute: Gets the values of the path's names, and the resource. An error that it throws is the
    ///     error of the load.
    ///   - fileID: The file of the caller, for messages.
    ///   - line: The line of the caller, for messages.
    public func computed(
        _ path: PathPattern, expirationTime: Duration? = nil, follows: Bool = true, fileID: String = #fileID,
        line: Int = #line,
        _ compute:
            @escaping @EngineActor (_ names: [String: String], _ resource: Resource) async throws ->
            Content
    ) {
        let origin = "\(fileID):\(line)"
        computed(
            ComputedDeclaration(
                path: path, expirationSeconds: expirationTime?.inSeconds, follows: follows, origin: origin
            ) { [engine] names, resource in
                AsyncOperation(engine, "computation at \(origin)", nil) {
                    let content = try await compute(names, resource)
                    return Entity(
                        content: content, contentType: content.usualType, timestamp: engine.scheduler.now)
                }
            })
    }

    /// The same for a declaration of a script: a block for all methods that match.
    package func computed(_ declaration: ComputedDeclaration) {
        core.usesOwnPaths()
        let glob: GlobPattern
        do throws(PatternError) { glob = try GlobPattern(declaration.path.glob, base: baseURL) } catch {
            preconditionFailure("a path that was valid before: \(error)")
        }
        configure(
            ConfigurationEntry(
                pattern: .glob(glob), description: "computed \(declaration.path)", origin: declaration.origin,
                isUniform: true
            ) { draft in
                draft.configuration.computation = declaration
                // The content is no body, so there is nothing to parse.
                for stage in [StageName.decoding, .parsing] {
                    draft.configuration.pipeline[stage].removeTransformers()
                }
                if let seconds = declaration.expirationSeconds {
                    draft.configuration.expirationSeconds = seconds
                }
            })
    }
}

extension Content {
    /// The Content-Type of such content that was made here.
    package var usualType: String {
        switch self {
        case .text: "text/plain; charset=utf-8"
        case .json, .value: "application/json"
        case .bytes, .image, .native: "application/octet-stream"
        }
    }
}
