import NIOCore
import RestEngine

/// One event of a stream (https://html.spec.whatwg.org/#server-sent-events), made once for all streams that
/// show it.
struct EventFrame: Sendable {
    let number: Int
    let plain: ByteBuffer
    /// The event as a patch to the previous content; nil if that would be no shorter.
    var patch: ByteBuffer?

    /// Keeps a connection alive, and finds clients that have gone.
    static let heartbeat = ByteBuffer(string: ":\n\n")
    /// Milliseconds after which a browser reconnects.
    static let opening = ByteBuffer(string: "retry: 2000\n\n")

    /// - Parameter data: JSON. Its line ends are between values.
    static func text(_ event: String, id: String, data: [UInt8]) -> ByteBuffer {
        var buffer = ByteBuffer()
        buffer.reserveCapacity(data.count + 80)
        buffer.writeString("event: \(event)\nid: \(id)\ndata: ")
        if data.contains(where: { $0 == 0x0A || $0 == 0x0D }) {
            buffer.writeBytes(data.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 })
        } else {
            buffer.writeBytes(data)
        }
        buffer.writeString("\n\n")
        return buffer
    }
}

/// The state of a resource for a stream: the content as JSON, with age, loading and error.
@EngineActor
struct LiveState {
    let resource: Resource
    let path: ResourcePath
    /// Nil if there is no data.
    let content: EncodedContent?
    /// The same content in the engine's form.
    var value: Content?

    /// The whole state.
    var whole: [UInt8] {
        object([("data", data)] + form + [("error", error), ("age", age), ("loading", isLoading)])
    }

    func newData(from source: String) -> [UInt8] {
        object(
            [("data", data)] + form
                + [("source", Array("\"\(source)\"".utf8)), ("age", age), ("loading", isLoading)])
    }

    /// The state without the content, which hasn't changed.
    var rest: [UInt8] { object([("age", age), ("loading", isLoading)]) }

    var failure: [UInt8] { object([("error", error), ("age", age), ("loading", isLoading)]) }

    private static let null = Array("null".utf8)

    private func object(_ members: [(String, [UInt8])]) -> [UInt8] {
        var bytes = Array("{".utf8)
        for (index, member) in members.enumerated() {
            bytes += Array("\(index == 0 ? "" : ",")\"\(member.0)\":".utf8) + member.1
        }
        return bytes + Array("}".utf8)
    }

    /// JSON stays as it is, text becomes a string, and bytes become a string in base64.
    private var data: [UInt8] {
        guard let content else { return Self.null }
        if content.isJSON {
            return content.body.starts(with: Self.mark) ? Array(content.body.dropFirst(3)) : content.body
        }
        return json(tree ?? Tree(text ?? Base64.encode(content.body)))
    }

    /// A byte order mark. A reader of JSON may ignore it at the start (RFC 8259 8.1), but not inside of an
    /// event.
    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The content of a body that isn't JSON, such as lines of JSON.
    private var tree: Tree? {
        switch value {
        case .json(let tree)?, .value(let tree)?: tree
        default: nil
        }
    }

    private var text: String? { if case .text(let text)? = value { text } else { nil } }

    private var form: [(String, [UInt8])] {
        guard let content, !content.isJSON, tree == nil else { return [] }
        let type: (String, [UInt8]) = ("content_type", json(Tree(ContentRendering.typeField(of: content))))
        return text == nil ? [type, ("encoding", Array("\"base64\"".utf8))] : [type]
    }

    private var error: [UInt8] {
        resource.latestError.map { Problem($0, reading: path).body(nil) } ?? Self.null
    }

    /// The age of the data in seconds.
    private var age: [UInt8] {
        guard let age = resource.dataAgeSeconds else { return Self.null }
        return Array("\(age.wholeSeconds)".utf8)
    }

    private var isLoading: [UInt8] { Array((resource.isLoading ? "true" : "false").utf8) }

    /// A string can always be written as JSON.
    private func json(_ tree: Tree) -> [UInt8] { (try? tree.json()) ?? Self.null }
}
