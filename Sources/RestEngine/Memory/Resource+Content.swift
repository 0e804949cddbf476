extension Resource {
    /// Additional bytes of a resource with content: its configuration, and entries in other tables.
    private static let overhead = 512

    /// Bytes of a resource without content: the object, its configuration, its entries in tables. Each
    /// resource has its URL twice, once in the table.
    static func ownBytes(of url: URLText?, _ partition: String?) -> Int {
        512 + 2 * (url?.string.utf8.count ?? 0) + 2 * (partition?.utf8.count ?? 0)
    }

    /// The time of the last use on any thread, on the scheduler's uptime clock.
    var lastUse: Double { max(lastUsed, answerSnapshot?.lastUse ?? -.infinity) }

    /// The resource with its configurations, and without content.
    private var bytesWithoutContent: Int { ownBytes + configurationBytes }

    /// Updates the count after its configurations have changed. When there is no room for them, they are not
    /// kept, and the blocks run again at the next use.
    func recountConfigurations() {
        guard count() > 0 else { return }
        if !engine.contentBudget.makeRoom(for: 0, in: core, sparing: self) { dropConfigurations() }
    }

    private func dropConfigurations() {
        guard configurationBytes > 0 else { return }
        forgetConfigurations()
        count()
    }

    /// Updates the count after each change of its content.
    func recount() {
        guard count() > 0 else { return }
        if !engine.contentBudget.makeRoom(for: 0, in: core, sparing: self) {
            // Its own published form is too large: it is made for each reader instead.
            dropEncoding()
            isWithdrawn = false
        }
    }

    private var contentBytes: Int {
        var bytes = (state.data?.heldBytes ?? 0) + (state.error?.entity?.heldBytes ?? 0)
        if let encoded {
            // Otherwise both are the same bytes.
            if !(state.data?.holdsBody ?? false) { bytes += encoded.body.count }
            // The copy of the network library, which readers share.
            if answerSnapshot != nil { bytes += encoded.body.count }
        }
        bytes += computed?.heldBytes ?? 0
        return bytes > 0 ? bytes + Self.overhead : 0
    }

    /// The reason why it can't hold this entity instead of its content; nil if there is room, or room could
    /// be made.
    package func refusal(of entity: Entity) -> RequestError? {
        let bytes = entity.heldBytes
        let more = bytes + Self.overhead + bytesWithoutContent - heldBytes
        let budget = engine.contentBudget
        guard more > 0, !budget.makeRoom(for: more, in: core, sparing: self) else { return nil }
        let isService = core.accounting.bytes + more > core.cachedResourceBytesLimit ?? .max
        let error = budget.refusal(of: "a content of \(bytes) bytes", in: isService ? core : nil)
        return RequestError(
            cause: .transport(error), timestamp: engine.scheduler.now, url: urlString, method: "GET")
    }

    /// Drops dispensable content: all of it, or only the published form if the resource has observers or
    /// waiting requests. Large configurations are made again when they are needed.
    func giveUpContent() {
        guard heldBytes > ownBytes else { return }
        dropConfigurations()
        if isBusy { dropEncoding() } else { dropContent() }
    }

    /// Drops the published form, which can be made from the data again.
    func dropEncoding() {
        encoding = nil
        guard encoded != nil else { return }
        withdraw()
        encoded = nil
        count()
    }

    /// Drops all content without notification, because there are no observers. Unlike a wipe, it does not
    /// remove entries from caches.
    func dropContent() {
        withdraw()
        encoding = nil
        encoded = nil
        computed = nil
        state.drop()
        caching?.allowLookup()
        count()
    }

    /// Updates the count; returns the difference.
    @discardableResult
    private func count() -> Int {
        let difference = bytesWithoutContent + contentBytes - heldBytes
        heldBytes += difference
        if difference != 0 { core.accounting.add(difference) }
        if (place?.hasData ?? false) != (state.data != nil) { core.table.sort(self) }
        return difference
    }
}

extension Entity {
    /// Whether the published bytes are the ones that the entity holds.
    fileprivate var holdsBody: Bool {
        switch content {
        case .bytes, .image: true
        default: body?.bytes != nil
        }
    }

    /// The bytes that it holds, including strings and their overhead.
    package var heldBytes: Int {
        64 + content.heldBytes + (body?.heldBytes(beside: content) ?? 0) + headers.heldBytes
    }
}

extension Content {
    /// A part of a tree holds the whole tree. The size of a Swift transformer's value is unknown.
    package var heldBytes: Int {
        switch self {
        case .bytes(let bytes): bytes.count
        case .text(let text): text.utf8.count
        case .json(let tree), .value(let tree): tree.heldBytes
        case .image(let image): image.bytes.count
        case .native: 0
        }
    }
}
