import RestEngine

/// Makes a tree of the events of a text.
struct YAMLDecoder {
    private let text: [UInt8]
    private let options: YAML.Options
    private let stop: StopFlag
    private var builder = Tree.Builder()
    private var frames: [Frame] = []
    /// The finished values that have an anchor.
    private var anchors: [String: Anchored] = [:]
    /// The bytes that aliases have copied.
    private var copied = 0

    /// A sequence or mapping that is being read.
    private struct Frame {
        let isMapping: Bool
        let start: Int
        let anchor: String?
        var keys: Set<String> = []
        var hasKey = false
        /// The levels of containers inside.
        var height = 0
    }

    private struct Anchored {
        let bytes: Range<Int>
        let height: Int
    }

    init(_ text: [UInt8], _ options: YAML.Options, _ stop: StopFlag) {
        (self.text, self.options, self.stop) = (text, options, stop)
    }

    mutating func decode() throws(FormatError) -> Tree {
        guard let events = YAMLEvents(text) else {
            throw FormatError(YAML.name, at: nil, "no memory for the parser")
        }
        try requireFewDirectives()
        if options.documents { builder.beginArray() }
        var count = 0
        reading: while true {
            try stop.check()
            switch try events.next() {
            case YAMLEvent.document:
                count += 1
                anchors = [:]
                if count == 2, !options.documents {
                    throw events.failure("a second document begins; the option 'documents' reads all of them")
                }
            case YAMLEvent.documentEnd: break
            case YAMLEvent.streamEnd: break reading
            case YAMLEvent.end: try end(events)
            case let kind: try value(kind, events)
            }
            try options.limits.requireBytes(builder.byteCount, YAML.name, at: events.place)
        }
        if options.documents { builder.end() } else if count == 0 { builder.null() }
        return builder.finish()
    }

    /// libyaml compares each directive with all before it.
    private func requireFewDirectives() throws(FormatError) {
        var (count, line) = (0, 1)
        var isAtStart = true
        for byte in text {
            if isAtStart, byte == UInt8(ascii: "%") { count += 1 }
            if count > 1000 {
                throw FormatError(
                    YAML.name, at: .line(line, column: 1), "more than 1000 lines begin with '%'")
            }
            isAtStart = byte == UInt8(ascii: "\n")
            if isAtStart { line += 1 }
        }
    }

    private mutating func value(_ kind: Int, _ events: YAMLEvents) throws(FormatError) {
        if let frame = frames.last, frame.isMapping, !frame.hasKey { return try key(kind, events) }
        if !frames.isEmpty { frames[frames.count - 1].hasKey = false }
        let start = builder.byteCount
        switch kind {
        case YAMLEvent.alias: try alias(events)
        case YAMLEvent.scalar:
            try scalar(events).write(to: &builder)
            if let anchor = events.anchor {
                anchors[anchor] = Anchored(bytes: start..<builder.byteCount, height: 0)
            }
        default:
            try options.limits.requireDepth(frames.count + 1, YAML.name, at: events.place)
            let isMapping = kind == YAMLEvent.mapping
            try requireTag(isMapping ? "map" : "seq", events)
            // An alias inside of it would make it endless.
            if let anchor = events.anchor { anchors[anchor] = nil }
            frames.append(Frame(isMapping: isMapping, start: start, anchor: events.anchor))
            if isMapping { builder.beginObject() } else { builder.beginArray() }
        }
    }

    private mutating func key(_ kind: Int, _ events: YAMLEvents) throws(FormatError) {
        guard kind == YAMLEvent.scalar else {
            throw events.failure("a key is a text, a number, a boolean or null, and written where it is used")
        }
        _ = try scalar(events)
        let key = String(decoding: events.scalar, as: UTF8.self)
        guard frames[frames.count - 1].keys.insert(key).inserted else {
            throw events.failure("the key '\(key.prefix(60))' occurs twice")
        }
        if let anchor = events.anchor { anchors[anchor] = nil }
        frames[frames.count - 1].hasKey = true
        builder.key(key)
    }

    private mutating func end(_ events: YAMLEvents) throws(FormatError) {
        let frame = frames.removeLast()
        builder.end()
        let height = frame.height + 1
        if let last = frames.indices.last { frames[last].height = max(frames[last].height, height) }
        if let anchor = frame.anchor {
            anchors[anchor] = Anchored(bytes: frame.start..<builder.byteCount, height: height)
        }
    }

    /// Copies the value of an anchor. A few lines with aliases of aliases could otherwise fill all memory.
    private mutating func alias(_ events: YAMLEvents) throws(FormatError) {
        guard let name = events.anchor, let anchored = anchors[name] else {
            throw events.failure("the alias '*\(events.anchor ?? "")' has no finished value before it")
        }
        try options.limits.requireDepth(frames.count + anchored.height, YAML.name, at: events.place)
        copied += anchored.bytes.count
        guard copied <= 1 << 20 || copied <= 10 * text.count else {
            throw events.failure("its aliases copy more than ten times the size of the text")
        }
        builder.again(anchored.bytes)
        if let last = frames.indices.last { frames[last].height = max(frames[last].height, anchored.height) }
    }

    private func scalar(_ events: YAMLEvents) throws(FormatError) -> YAMLScalar {
        guard let scalar = YAMLScalar(events.scalar, tag: events.tag, isPlain: events.isPlain) else {
            throw events.failure(
                Self.refusal(events.tag, of: String(decoding: events.scalar.prefix(60), as: UTF8.self)))
        }
        return scalar
    }

    private func requireTag(_ name: String, _ events: YAMLEvents) throws(FormatError) {
        guard let tag = events.tag, tag != YAMLScalar.core + name, tag != "!" else { return }
        throw events.failure("the tag '\(tag.prefix(60))' isn't one of the core schema for this value")
    }

    private static func refusal(_ tag: String?, of text: String) -> String {
        guard let tag else { return "'\(text)' can't be read" }
        let known = ["null", "bool", "int", "float", "str"].map { YAMLScalar.core + $0 }
        return known.contains(tag)
            ? "'\(text)' isn't what its tag '\(tag)' says"
            : "the tag '\(tag.prefix(60))' isn't one of the core schema for this value"
    }
}
