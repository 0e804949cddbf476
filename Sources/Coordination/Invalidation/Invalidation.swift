/// One invalidation, as hosts tell each other: a value that any host reads the same way.
package struct Invalidation: Sendable, Hashable {
    package enum Change: Sendable, Hashable {
        /// `resource:invalidate()`: the data is stale.
        case stale
        /// An unsafe method: the data is stale, and so is that of loads in flight.
        case outdated
        /// The data is gone.
        case wiped
        /// The data was set by a script, as bytes of the engine's coding.
        case overridden([UInt8])
        /// Configuration blocks run again.
        case blocks
        /// The publisher can't say any more what has changed.
        case everything
    }

    package enum Target: Sendable, Hashable {
        case all
        case url(String)
        /// A glob, relative to the service.
        case glob(String)
    }

    package var change: Change
    /// Empty for all services.
    package var service: String
    /// Nil for that of everybody with a URL, and for all partitions otherwise.
    package var partition: String?
    package var target: Target

    package init(
        _ change: Change, service: String = "", partition: String? = nil, _ target: Target = .all
    ) {
        (self.change, self.service, self.partition, self.target) = (change, service, partition, target)
    }

    package static let everything = Invalidation(.everything)

    /// Whether it names one resource.
    package var isOfOneResource: Bool { if case .url = target { true } else { false } }

    /// Whether both name the same resource.
    package func isOfSameResource(as other: Invalidation) -> Bool {
        isOfOneResource && target == other.target && service == other.service
            && partition == other.partition
    }

    /// Whether it may affect a resource that the other names. A glob counts as matching all URLs.
    package func mayCover(_ other: Invalidation) -> Bool {
        if change == .everything { return true }
        guard change != .blocks, service == other.service else { return false }
        return isOfOneResource ? isOfSameResource(as: other) : true
    }
}

extension Invalidation {
    /// Names and values for an entry of the log.
    package var fields: [(name: String, value: [UInt8])] {
        var fields = [("k", Array(kind.utf8)), ("s", Array(service.utf8))]
        if let partition { fields.append(("p", Array(partition.utf8))) }
        switch target {
        case .all: break
        case .url(let url): fields.append(("u", Array(url.utf8)))
        case .glob(let glob): fields.append(("g", Array(glob.utf8)))
        }
        if case .overridden(let bytes) = change { fields.append(("c", bytes)) }
        return fields
    }

    private var kind: String {
        switch change {
        case .stale: "stale"
        case .outdated: "outdated"
        case .wiped: "wiped"
        case .overridden: "overridden"
        case .blocks: "blocks"
        case .everything: "everything"
        }
    }

    /// Nil for fields that no host of this version has written. The reader must then expect anything.
    package init?(fields: [(name: String, value: [UInt8])]) {
        var texts: [String: String] = [:]
        var content: [UInt8]?
        for (name, value) in fields {
            if name == "c" {
                content = value
                continue
            }
            guard let text = String(validating: value, as: UTF8.self) else { return nil }
            texts[name] = text
        }
        switch (texts["u"], texts["g"]) {
        case (nil, nil): target = .all
        case (let url?, nil): target = .url(url)
        case (nil, let glob?): target = .glob(glob)
        case (_?, _?): return nil
        }
        guard let service = texts["s"] else { return nil }
        self.service = service
        partition = texts["p"]
        switch (texts["k"], content) {
        case ("stale", nil): change = .stale
        case ("outdated", nil): change = .outdated
        case ("wiped", nil): change = .wiped
        case ("overridden", let content?): change = .overridden(content)
        case ("blocks", nil): change = .blocks
        case ("everything", nil): change = .everything
        default: return nil
        }
        if case .overridden = change, !isOfOneResource { return nil }
    }
}
