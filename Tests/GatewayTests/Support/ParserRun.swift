@testable import Gateway

/// A parser's result for bytes that arrive in pieces.
struct ParserRun {
    enum Result: Equatable {
        case head(RequestHead)
        case fault(RequestFault)
    }

    struct ParsedHead {
        let head: RequestHead
        let bytes: [UInt8]

        func text(_ range: ByteRange?) -> String? {
            range.map { String(decoding: bytes[$0.start..<($0.start + $0.count)], as: UTF8.self) }
        }
    }

    private(set) var results: [Result] = []
    private(set) var heads: [ParsedHead] = []

    init(_ text: String, limits: GatewayLimits = GatewayLimits()) {
        self.init([Array(text.utf8)], limits: limits)
    }

    /// Stops at a fault, as a connection does.
    init(_ pieces: [[UInt8]], limits: GatewayLimits = GatewayLimits()) {
        var parser = RequestParser(limits: limits)
        var input: [UInt8] = []
        for piece in pieces {
            input += piece
            while !input.isEmpty {
                let step = input.withUnsafeBytes { parser.next($0) }
                if case .needMore = step { break }
                if case .fault(let fault) = step {
                    results.append(.fault(fault))
                    return
                }
                guard case .head(let head) = step else { return }
                results.append(.head(head))
                heads.append(ParsedHead(head: head, bytes: input))
                input.removeFirst(head.length)
            }
        }
    }
}
