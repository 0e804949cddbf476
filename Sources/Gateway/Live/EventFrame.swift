import NIOCore
import RestEngine

/// One event of a stream as it goes out (https://html.spec.whatwg.org/#server-sent-events), made once for all
/// streams that show it.
struct EventFrame: Sendable {
    let number: Int
    let plain: ByteBuffer
    /// The same as a change of what the stream's client has; nil where that would be no shorter.
    var patch: ByteBuffer?

    /// What keeps a connection alive, and tells who is gone.
    static let heartbeat = ByteBuffer(string: ":\n\n")
    /// Milliseconds after which a browser asks again.
    static let opening = ByteBuffer(string: "retry: 2000\n\n")

    /// - Parameter data: JSON; line ends in it are between its values.
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

/// What a stream says of its resource: the content as JSON, beside what is known of it.
@EngineActor
struct LiveState {
    let resource: Resource
    let path: ResourcePath
    /// Nil without data.
    let content: EncodedContent?
    /// The same in the engine.
    var value: Content?

    /// All of it.
    var whole: [UInt8] {
        object([("data", data)] + form + [("error", error), ("age", age), ("loading", isLoading)])
    }

    func newData(from source: String) -> [UInt8] {
        object(
            [("data", data)] + form
                + [("source", Array("\"\(source)\"".utf8)), ("age", age), ("loading", isLoading)])
    }

    /// Without the content, which is as it was.
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

    /// JSON is itself, text a string; bytes are one in base64.
    private var data: [UInt8] {
        guard let content else { return Self.null }
        if content.isJSON {
            return content.body.starts(with: Self.mark) ? Array(content.body.dropFirst(3)) : content.body
        }
        return json(tree ?? Tree(text ?? Base64.encode(content.body)))
    }

    /// A reader of JSON may ignore one (RFC 8259 8.1), but not in the middle of an event.
    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Of a body that is no JSON, lines of it for example.
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
        resource.latestError.map { Problem($0, reading: path).reply.body } ?? Self.null
    }

    /// Of the data, in seconds.
    private var age: [UInt8] {
        guard let age = resource.dataAge else { return Self.null }
        return Array("\(age.wholeSeconds)".utf8)
    }

    private var isLoading: [UInt8] { Array((resource.isLoading ? "true" : "false").utf8) }

    /// A string always has a form in JSON.
    private func json(_ tree: Tree) -> [UInt8] { (try? tree.json()) ?? Self.null }
}
