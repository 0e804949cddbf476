import NIOCore
import NIOHPACK
import Platform
import RestEngine

/// The limits that readers use, small enough to be reached.
struct GatewayLimits {
    var maxHeaderBytes = 300
    var maxTargetBytes = 40
    var maxHeaderFields = 8
}

/// Reads bytes as HTTP/1.1, head and body; as the fields and the body of an HTTP/2 stream; and as the first
/// message of TLS. The way in which they are split makes no difference, no limit is exceeded, and a
/// translated stream is read as the one request that it was.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(unsafe UnsafeBufferPointer(start: data, count: count))
    let cut = bytes.first.map { Int($0) % max(1, bytes.count) } ?? 0
    let parts = [Array(bytes[..<cut]), Array(bytes[cut...])]
    // Single bytes take long, so only short inputs are split into them.
    let single = bytes.count > 256 ? parts : bytes.map { [$0] }
    let whole = Heads([bytes])
    precondition(Heads(parts) == whole && Heads(single) == whole)
    for length in [nil, 7, 200] as [Int?] {
        let body = Body([bytes], length)
        precondition(Body(parts, length) == body && Body(single, length) == body)
        precondition(body.content.count <= min(bytes.count, length ?? .max))
        precondition(!body.isWhole || length == nil || body.content.count == length)
    }
    translate(bytes)
    let body =
        [UInt8(bytes.count >> 16 & 255), UInt8(bytes.count >> 8 & 255), UInt8(bytes.count & 255)] + bytes
    let message = [1] + body
    let record = [22, 3, 1, UInt8(message.count >> 8 & 255), UInt8(message.count & 255)] + message
    for hello in [bytes, record] {
        let offered = Offer([hello])
        precondition(Offer(hello.map { [$0] }) == offered)
        precondition(offered.names.allSatisfy { !$0.isEmpty } && offered.names.joined().count <= hello.count)
    }
    return 0
}

/// The protocols that a client offers in its first message.
private struct Offer: Equatable {
    var names: [[UInt8]] = []
    var isRead = false

    init(_ pieces: [[UInt8]]) {
        var reader = ClientHelloReader()
        for piece in pieces {
            guard case .offers(let found) = reader.take(piece) else { continue }
            names = found ?? []
            isRead = true
            return
        }
    }
}

/// The heads that follow each other, and the fault that ends them.
private struct Heads: Equatable {
    var heads: [RequestHead] = []
    var fault: RequestFault?

    init(_ pieces: [[UInt8]]) {
        let limits = GatewayLimits()
        var parser = RequestParser(limits: limits)
        var input: [UInt8] = []
        for piece in pieces {
            input += piece
            while !input.isEmpty {
                switch input.withUnsafeBytes({ parser.next($0) }) {
                case .fault(let found):
                    fault = found
                    return
                case .head(let head):
                    precondition(head.length <= input.count && head.length <= limits.maxHeaderBytes + 16)
                    precondition(head.target.count <= limits.maxTargetBytes)
                    heads.append(head)
                    input.removeFirst(head.length)
                    continue
                case .needMore: break
                }
                break
            }
        }
    }
}

/// The result of reading a body, and the remaining bytes.
private struct Body: Equatable {
    var content: [UInt8] = []
    var isWhole = false
    var fault: RequestFault?
    var left = 0

    init(_ pieces: [[UInt8]], _ length: Int?) {
        var reader = BodyReader(contentLength: length, limits: GatewayLimits())
        var input = ByteBuffer()
        for piece in pieces {
            input.writeImmutableBuffer(ByteBuffer(piece))
            guard !isWhole, fault == nil else { continue }
            steps: while true {
                switch reader.next(&input) {
                case .needMore: break steps
                case .part(let part): content += part.withUnsafeReadableBytes { Array($0) }
                case .end:
                    isWhole = true
                    break steps
                case .fault(let found):
                    fault = found
                    break steps
                }
            }
        }
        left = fault == nil ? input.readableBytes : 0
    }
}

/// Lines are fields, `name` NUL `value`. An empty line begins the body, whose first byte says how the body
/// comes.
private func translate(_ bytes: [UInt8]) {
    let lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
    let fields = lines.prefix { !$0.isEmpty }.map { line in
        let sides = line.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        return (
            String(decoding: sides[0], as: UTF8.self),
            sides.count > 1 ? String(decoding: sides[1], as: UTF8.self) : ""
        )
    }
    let body = Array(lines.dropFirst(fields.count + 1).joined(separator: [10]))
    var request = TranslatedRequest()
    var text = ByteBuffer()
    guard request.begin(HPACKHeaders(fields), isWhole: body.isEmpty, &text) else { return }
    var rest = body[...]
    while let first = rest.first {
        request.add(ByteBuffer(Array(rest.prefix(Int(first)))), &text)
        rest = rest.dropFirst(max(1, Int(first)))
    }
    request.end(&text)
    check(text.withUnsafeReadableBytes { Array($0) }, fields, body)
}

/// Checks one request with these fields and no bytes behind it.
private func check(_ text: [UInt8], _ fields: [(String, String)], _ body: [UInt8]) {
    let found = Heads([text])
    // The request may be refused, but two readers must not understand it differently.
    guard let head = found.heads.first else { return precondition(found.fault != nil || text.isEmpty) }
    func value(_ name: String) -> String? { fields.first { $0.0 == name }?.1 }
    text.withUnsafeBytes { all in
        precondition(String(decoding: head.methodRange.bytes(in: all), as: UTF8.self) == value(":method"))
        let path = value(":path") ?? ""
        precondition(path.hasSuffix(String(decoding: head.target.bytes(in: all), as: UTF8.self)))
        let names = RequestFields(Array(all[..<head.length])).all.map(\.name).filter { $0 != "host" }
        let sent = fields.map(\.0).filter { !$0.hasPrefix(":") && $0 != "host" && $0 != "cookie" }
        let cookies = fields.contains { $0.0 == "cookie" } ? ["cookie"] : []
        let added = head.isChunked ? ["transfer-encoding", "connection"] : ["connection"]
        precondition(names == sent + cookies + added)
    }
    precondition(!head.isPersistent)
    guard head.hasBody else { return }
    let read = Body([Array(text[head.length...])], head.isChunked ? nil : head.contentLength)
    precondition(!head.isChunked || (read.isWhole && read.left == 0 && read.content.count <= body.count))
}
