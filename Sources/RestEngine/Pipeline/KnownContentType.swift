/// The type of a content, parsed once for all steps that test it.
final class KnownContentType: Sendable {
    fileprivate let text: String?
    /// The essence of the media type; nil without one.
    let essence: [UInt8]?

    init(_ text: String?) {
        self.text = text
        essence = text.map { Array(MediaType($0).essence.utf8) }
    }

    convenience init(_ response: Response) { self.init(response.entity?.contentType) }

    /// The type after a step, which may have changed the content.
    func following(_ response: Response) -> KnownContentType {
        let text = response.entity?.contentType
        return text == self.text ? self : KnownContentType(text)
    }
}

/// The most recent types: a host gets few different ones, repeatedly.
@EngineActor
final class KnownContentTypes {
    private var types: [KnownContentType] = []
    /// The last lookup: most steps leave the headers unchanged.
    private var last = (headers: Headers(), type: none)
    private static let most = 8
    private nonisolated static let none = KnownContentType(nil as String?)

    nonisolated init() {}

    func contentType(of response: Response) -> KnownContentType {
        guard let entity = response.entity else { return Self.none }
        let last = last
        if last.headers.sharesFields(with: entity.headers) { return last.type }
        let type = known(entity.contentType)
        self.last = (entity.headers, type)
        return type
    }

    private func known(_ text: String) -> KnownContentType {
        for index in types.indices where types[index].text == text { return types[index] }
        let type = KnownContentType(text)
        if types.count == Self.most { types.removeFirst() }
        types.append(type)
        return type
    }
}
