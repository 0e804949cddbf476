// The approximate bytes that values hold, for limits. Content that two values share counts for each.

extension Headers {
    /// Names and values, including overhead.
    package var heldBytes: Int {
        var bytes = 64 * (fields.count + omitted.count)
        // By index, because iterating would retain each field.
        for index in fields.indices {
            bytes += fields[index].name.utf8.count + fields[index].value.utf8.count
        }
        for name in omitted { bytes += name.utf8.count }
        return bytes
    }
}

extension Response {
    package var heldBytes: Int {
        switch self {
        case .success(let entity): entity.heldBytes
        case .failure(let error): error.heldBytes
        }
    }
}

@EngineActor
extension ResponseInfo {
    package var heldBytes: Int {
        response.heldBytes + (stageOutputs?.heldBytes(beside: response.entity) ?? 0)
    }
}

extension StageOutputs {
    fileprivate func heldBytes(beside known: Entity?) -> Int {
        // The form of an outcome has bytes of its own.
        entities.reduce(form?.content.body.count ?? 0) { sum, entity in
            known?.isSame(as: entity) ?? false ? sum : sum + entity.heldBytes
        }
    }
}

extension RequestError {
    package var heldBytes: Int {
        512 + userMessage.utf8.count + (url?.utf8.count ?? 0) + (entity?.heldBytes ?? 0)
            + (cause?.heldBytes ?? 0) + attempts.heldBytes
    }
}

extension RequestError.Cause {
    /// Only for causes with text from a script or a server; the texts of the others belong to the engine.
    fileprivate var heldBytes: Int {
        switch self {
        case .invalidURL(let source): source?.utf8.count ?? 0
        case .unencodableText(_, let text), .notURLEncodable(let text): text.bytes.count
        case .invalidJSONObject(let text), .invalidRequestMethod(let text), .invalidHeader(let text),
            .internal(let text), .malformedJSON(_, let text), .invalidTextEncoding(let text),
            .schemaMismatch(_, let text):
            text.utf8.count
        case .malformedContent(let error): error.message.utf8.count
        case .scriptError(let failure), .scriptLimit(_, _, _, let failure):
            failure.message.utf8.count + (failure.traceback?.utf8.count ?? 0)
        case .custom(let type, let fields): type.utf8.count + fields.heldBytes
        case .transport(let error): error.message.utf8.count
        case .invalidDefinition, .requestCancelled, .noLocalDataFor304, .undecodableText,
            .jsonNotObjectOrArray, .unparsableImage, .wrongInputType, .wrongOutputType,
            .transformerReturnedNil, .undecodableContent, .tooManyRedirects, .unreadableFile,
            .unwritableFile:
            0
        }
    }
}

extension EngineEvent {
    /// Of an event without bodies.
    var heldBytes: Int {
        let own = 512 + (url?.utf8.count ?? 0)
        switch detail {
        case .attempt(let attempt):
            let message = attempt.message.url.utf8.count + attempt.message.headers.heldBytes
            guard case .success(let response) = attempt.result else { return own + message }
            return own + message + response.headers.heldBytes
        case .response(let outcome): return own + (outcome.message?.utf8.count ?? 0)
        case .cache(let access): return own + (access.message?.utf8.count ?? 0)
        case .limit(let action): return own + action.scope.utf8.count
        case .request, .breaker, .reload, .state: return own
        }
    }
}

extension [RequestAttempt] {
    package var heldBytes: Int { reduce(0) { $0 + 256 + $1.url.utf8.count } }
}

extension Exchange {
    fileprivate var heldBytes: Int { 256 + url.utf8.count + headers.heldBytes + (body?.count ?? 0) }
}

extension Request {
    /// Includes its outcome, its body, its hooks, and the requests that it waited for.
    package var heldBytes: Int { hookBytes + heldBytes(beside: nil) }

    /// - Parameter known: An entity that is counted already: a chain has that of its request.
    func heldBytes(beside known: Entity?) -> Int {
        let entity = info?.response.entity
        let isKnown = entity.map { known?.isSame(as: $0) ?? false } ?? false
        return 1024 + (info?.heldBytes ?? 0) - (isKnown ? entity?.heldBytes ?? 0 : 0)
            + (trail?.heldBytes ?? 0) + (exchange?.heldBytes ?? 0)
            + work.heldBytes(beside: entity ?? known)
    }
}

extension NetworkWork {
    /// Buffers of a transfer, and what the system keeps for its connection.
    private static let transferBytes = 8 << 10

    func heldBytes(beside known: Entity?) -> Int {
        plan.heldBytes + (transfer == nil ? 0 : Self.transferBytes)
    }
}

extension RequestDraft {
    package var heldBytes: Int { url.utf8.count + headers.heldBytes + payload.heldBytes }
}

extension RequestPayload {
    fileprivate var heldBytes: Int {
        switch self {
        case .none, .upload(.file), .upload(.stream): 0
        case .bytes(let bytes): bytes.count
        case .upload(.multipart(let parts)): parts.reduce(0) { $0 + 128 + $1.heldBytes }
        }
    }
}

extension MultipartPart {
    fileprivate var heldBytes: Int {
        let texts = name.utf8.count + (filename?.utf8.count ?? 0) + (contentType?.utf8.count ?? 0)
        if case .bytes(let bytes) = source { return texts + bytes.count }
        return texts
    }
}

extension ConfigurationDraft {
    package var heldBytes: Int { 2048 + (url?.string.utf8.count ?? 0) + configuration.heldBytes }
}

extension Configuration {
    /// The names, values, lists and functions that blocks have set. Functions hold more, which their owner
    /// counts.
    package var heldBytes: Int {
        var bytes = headers.heldBytes + pipeline.heldBytes + 128 * (mutators.count + decorators.count)
        for name in redirects.keepHeaders { bytes += name.rawValue.utf8.count + 64 }
        guard let rules = attemptRules?.rules else { return bytes }
        if case .named(let name)? = rules.limits?.scope { bytes += name.utf8.count }
        return bytes + 32 * (rules.retry?.statuses.count ?? 0)
    }
}

extension ServedRequest {
    package var heldBytes: Int {
        (params + query).reduce(path.utf8.count + headers.heldBytes + body.bytesInMemory.count) { sum, pair in
            sum + 64 + pair.name.utf8.count + pair.value.utf8.count
        }
    }
}

extension Resource {
    /// The resource itself. Its content is counted elsewhere.
    package var ownBytes: Int { Self.ownBytes(of: url, partition) }
}

/// The owner of a request that accounts for its memory.
@EngineActor
package protocol RequestKeeper: AnyObject {
    /// The request holds more bytes than before, or fewer; see ``Request/heldBytes``.
    func requestGrew(_ request: Request)

    /// Returns an object that keeps the account of the request open as long as the object lives. The request
    /// has it while it runs.
    func hold(_ request: Request) -> AnyObject?
}
