import CYAML
import RestEngine

/// The events of a YAML text, from libyaml.
final class YAMLEvents {
    private let parser: OpaquePointer
    private let text: UnsafeMutableBufferPointer<UInt8>
    private(set) var event = cyaml_event()

    /// Nil if there is no memory.
    init?(_ bytes: [UInt8]) {
        text = .allocate(capacity: bytes.count)
        _ = text.initialize(fromContentsOf: bytes)
        guard let parser = cyaml_open(text.baseAddress, text.count) else {
            text.deallocate()
            return nil
        }
        self.parser = parser
    }

    deinit {
        cyaml_close(parser)
        text.deallocate()
    }

    /// Moves to the next event and returns its kind.
    func next() throws(FormatError) -> Int {
        cyaml_next(parser, &event)
        guard Int(event.kind) != CYAML_FAILED else { throw failure(message) }
        return Int(event.kind)
    }

    var place: FormatError.Place { .line(event.line, column: event.column) }

    func failure(_ message: String) -> FormatError { FormatError(YAML.name, at: place, message) }

    var scalar: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: event.text, count: event.length) }
    var anchor: String? { event.anchor.map { String(cString: $0) } }
    var tag: String? { event.tag.map { String(cString: $0) } }
    var isPlain: Bool { event.plain != 0 }

    private var message: String {
        withUnsafeBytes(of: event.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}

/// The kinds of events as numbers of Swift's own type.
enum YAMLEvent {
    static let document = Int(CYAML_DOCUMENT)
    static let scalar = Int(CYAML_SCALAR)
    static let alias = Int(CYAML_ALIAS)
    static let mapping = Int(CYAML_MAPPING)
    static let end = Int(CYAML_END)
    static let documentEnd = Int(CYAML_DOCUMENT_END)
    static let streamEnd = Int(CYAML_STREAM_END)
}
