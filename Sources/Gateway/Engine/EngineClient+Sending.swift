import RestEngine

extension EngineClient {
    /// The problem of a request that can be found before its body is read; nil if there is none.
    @EngineActor
    func validationError(to method: String, _ path: ResourcePath, _ accessPolicy: AccessPolicy) -> Problem? {
        do throws(Problem) {
            _ = try resource(at: path, method: method, accessPolicy)
            return nil
        } catch { return error }
    }

    /// The methods that a client may use on a resource. The gateway answers this itself (RFC 9110 9.3.7).
    @EngineActor
    private func options(of path: ResourcePath, _ accessPolicy: AccessPolicy) -> Outcome {
        do throws(Problem) {
            guard let method = accessPolicy.methods(of: path.service).first else {
                throw unknownService(path.service, accessPolicy)
            }
            return .reply(Reply(allowing: try resource(at: path, method: method, accessPolicy).methods))
        } catch { return .problem(error) }
    }

    /// Sends the request as `resource:request(method, …)` does: through blocks, decorators and the pipeline
    /// of its method. `completion` is called exactly once, maybe before this returns; for `waiting` see
    /// ``read(_:waiting:_:)``.
    @EngineActor
    func send(
        _ proxied: ProxiedRequest, _ accessPolicy: AccessPolicy, _ pendingRead: PendingRead,
        waiting: @EngineActor (Double) -> Void,
        _ completion: @escaping @EngineActor (Outcome) -> Void
    ) {
        if proxied.method == "OPTIONS", !accessPolicy.methods(of: proxied.path.service).contains("OPTIONS") {
            return completion(options(of: proxied.path, accessPolicy))
        }
        let found: (resource: Resource, methods: [String])
        do { found = try resource(at: proxied.path, method: proxied.method, accessPolicy) } catch {
            return completion(.problem(error))
        }
        let resource = found.resource
        pendingRead.labels = labels(of: resource, resource.service, proxied.method)
        var proxied = proxied
        do throws(Problem) { try proxied.translateTags() } catch { return completion(.problem(error)) }
        let method = Method(proxied.method)
        let configuration = resource.configuration(for: method)
        if proxied.pipe != nil || configuration.stream == .body {
            return exchange(
                proxied, with: resource, isStreamed: configuration.stream == .body, pendingRead, completion)
        }
        let timeout = Self.timeout(configuration.timeouts)
        if timeout != Self.usualTimeout { waiting(timeout) }
        let forwarded = forwarded(of: resource)
        let sent = proxied
        WorkScope.serving(proxied.origin) { resource.request(method, proxied.options) }.onCompletion {
            info in
            Self.note(info.response, to: sent.method, resource)
            completion(self.outcome(info.response, sent, of: resource, forwarded))
        }
    }

    /// Invalidates a resource that a client changed, so that the next reader loads it again (rule 52.6). A
    /// 412 does so too, because the client's copy was not the current one.
    @EngineActor
    static func note(_ response: Response, to method: String, _ resource: Resource) {
        guard !Method.isSafe(method) else { return }
        // The API's answer counts even if the pipeline failed on it.
        if case .failure(let error) = response, error.httpStatusCode ?? 400 >= 400,
            error.httpStatusCode != 412
        {
            return
        }
        resource.outdate()
    }

    @EngineActor
    func forwarded(of resource: Resource) -> ForwardedHeaders {
        // By reference: a copy of the rules would retain all of their parts.
        let rules = rules.snapshot
        return ForwardedHeaders(
            kept: rules.access.kept, service: resource.service.name, base: resource.service.baseURL?.url,
            vary: rules.access.vary)
    }

    /// The API's answer to a failure goes to the client that sent the request, like a success. A failure
    /// without an answer of the API becomes a problem.
    @EngineActor
    func outcome(
        _ response: Response, _ proxied: ProxiedRequest, of resource: Resource, _ forwarded: ForwardedHeaders
    ) -> Outcome {
        let entity: Entity
        var status: Int?
        switch response {
        case .success(let success): entity = success
        case .failure(let error):
            guard error.cause == nil, let failed = error.entity, let code = error.httpStatusCode,
                400...599 ~= code
            else { return .problem(problem(of: error, proxied.method, proxied.path, proxied.origin)) }
            (entity, status) = (failed, code)
        }
        do throws(RequestError.CauseError) {
            let content = try EncodedContent(entity)
            var outcome = Self.outcome(status ?? entity.status ?? 200, content, entity, proxied, forwarded)
            if proxied.method == "HEAD", case .reply(var reply) = outcome,
                let length = Self.length(of: entity.headers, resource)
            {
                reply.fields.append(("Content-Length", length))
                outcome = .reply(reply)
            }
            return outcome
        } catch {
            let failure = RequestError(cause: error.cause, timestamp: 0)
            return .problem(problem(of: failure, proxied.method, proxied.path, proxied.origin))
        }
    }

    /// The API's length of content that the gateway would not change; nil for other content (RFC 9110 8.6).
    @EngineActor
    private static func length(of headers: Headers, _ resource: Resource) -> String? {
        guard let length = headers["Content-Length"], Int64(length) != nil,
            !headers.contains("Content-Encoding"), resource.configuration(for: .get).pipeline.isStandard
        else { return nil }
        return length
    }

    private static func outcome(
        _ status: Int, _ content: EncodedContent, _ entity: Entity, _ proxied: ProxiedRequest,
        _ forwarded: ForwardedHeaders
    ) -> Outcome {
        let kept = forwarded.fields(of: entity.headers, from: entity.url)
        let fields = kept + proxied.ownFields(of: entity.headers, status)
        switch proxied.method {
        case "HEAD": return .reply(Reply(status, headOf: content, entity.headers, fields))
        case "GET" where status == 206:
            return content.isPart ? .reply(Reply(status, content, fields)) : .problem(.changedPart)
        case "GET" where 200...299 ~= status: return .own(content, fields)
        default: return .reply(Reply(status, content, fields))
        }
    }
}

extension EncodedContent {
    /// The bytes are as many as Content-Range says. A response with several parts has the ranges inside.
    fileprivate var isPart: Bool {
        guard let range = headers["Content-Range"] else { return isRaw }
        let ends = range.drop { !$0.isNumber }.prefix { $0 != "/" }.split(separator: "-").compactMap {
            Int($0)
        }
        return ends.count == 2 && ends[1] - ends[0] == body.count - 1
    }
}

extension Reply {
    /// A response of the API to one client's request, which must not go to other clients (RFC 9111 3.5).
    init(_ status: Int, _ content: EncodedContent, _ kept: [(String, String)]) {
        (self.status, fields) = (status, kept)
        let isEmpty = content.body.isEmpty || status == 204 || status == 205 || status == 304
        body = isEmpty ? [] : content.body
        type = isEmpty ? nil : ContentRendering.typeField(of: content)
    }

    /// The API's answer to HEAD. The length of GET's content is not known here.
    init(_ status: Int, headOf content: EncodedContent, _ headers: Headers, _ kept: [(String, String)]) {
        (self.status, fields, body, saysLength) = (status, kept, [], false)
        type = headers.contains("Content-Type") ? ContentRendering.typeField(of: content) : nil
    }
}
