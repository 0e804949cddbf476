extension Resource {
    /// What one with content costs beside that and itself: its configuration, its part in tables of others.
    private static let overhead = 512

    /// What one costs that holds nothing: the object, its configuration, its places in tables. Each of them,
    /// the caller's and the table's has the URL.
    static func ownBytes(of url: URLText?) -> Int { 512 + 2 * (url?.string.utf8.count ?? 0) }

    /// By whoever used it last, on whatever thread; the scheduler's uptime.
    var lastUse: Double { max(lastUsed, answerSnapshot?.lastUse ?? -.infinity) }

    /// Counts anew what it holds, after each change of it.
    func recount() {
        guard count() > 0 else { return }
        if !engine.contentBudget.makeRoom(for: 0, in: core, sparing: self) {
            // Its own published form is too much: each reader has one made.
            dropEncoding()
            isWithdrawn = false
        }
    }

    private var contentBytes: Int {
        var bytes = (state.data?.heldBytes ?? 0) + (state.error?.entity?.heldBytes ?? 0)
        if let encoded {
            // Else it is the same bytes.
            if !(state.data?.holdsBody ?? false) { bytes += encoded.body.count }
            // The copy of the network library that readers share.
            if answerSnapshot != nil { bytes += encoded.body.count }
        }
        return bytes > 0 ? bytes + Self.overhead : 0
    }

    /// Why it can't hold this entity instead of what it has; nil when there is room, or could be made.
    public func refusal(of entity: Entity) -> RequestError? {
        let bytes = entity.heldBytes
        let more = bytes + Self.overhead + Self.ownBytes(of: url) - heldBytes
        let budget = engine.contentBudget
        guard more > 0, !budget.makeRoom(for: more, in: core, sparing: self) else { return nil }
        let isService = core.accounting.bytes + more > core.cachedResourceBytesLimit ?? .max
        let error = budget.refusal(of: "a content of \(bytes) bytes", in: isService ? core : nil)
        return RequestError(
            cause: .transport(error), timestamp: engine.scheduler.now, url: urlString, method: "GET")
    }

    /// What it can do without goes: all of it, unless somebody observes it or waits for it.
    func giveUpContent() {
        guard heldBytes > Self.ownBytes(of: url) else { return }
        if isBusy { dropEncoding() } else { dropContent() }
    }

    /// What can be made from the data again goes.
    func dropEncoding() {
        encoding = nil
        guard encoded != nil else { return }
        withdraw()
        encoded = nil
        count()
    }

    /// All of it goes, without a word: nobody observes. What a wipe does beside that, in caches above all, is
    /// not done.
    func dropContent() {
        withdraw()
        encoding = nil
        encoded = nil
        state.drop()
        caching?.allowLookup()
        count()
    }

    /// Brings the count up to date; gives what it has changed by.
    @discardableResult
    private func count() -> Int {
        let difference = Self.ownBytes(of: url) + contentBytes - heldBytes
        heldBytes += difference
        if difference != 0 { core.accounting.add(difference) }
        if (place?.hasData ?? false) != (state.data != nil) { core.table.sort(self) }
        return difference
    }
}

extension Entity {
    /// The bytes that go out are among what it keeps.
    fileprivate var holdsBody: Bool {
        switch content {
        case .bytes, .image: true
        default: body?.bytes != nil
        }
    }

    /// Bytes that it keeps, strings and their bookkeeping included.
    package var heldBytes: Int {
        64 + content.heldBytes + (body?.heldBytes(beside: content) ?? 0) + headers.heldBytes
    }
}

extension Content {
    /// A part of a tree keeps the whole. Of what a Swift transformer made nobody knows.
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
