/// A trace and the parent span in it, as in `traceparent` and `tracestate` (W3C Trace Context, level 1).
package struct TraceContext: Sendable, Equatable {
    /// 32 digits, lower-case hexadecimal, not all zero.
    package let traceID: String
    /// The ID of the span that is the parent of what follows: 16 digits, not all zero.
    package let spanID: String
    /// The bits of `trace-flags`; the lowest says that the trace is recorded.
    package let flags: UInt8
    /// The data that systems on the way have added, passed on unchanged; nil for none.
    package let state: String?

    /// Characters of a `tracestate`; a longer one is dropped (3.3.1.5).
    private static let mostStateBytes = 512

    init(traceID: String, spanID: String, flags: UInt8, state: String? = nil) {
        self.traceID = traceID
        self.spanID = spanID
        self.flags = flags
        self.state = state
    }

    /// Nil for text that is no `traceparent`, which is then ignored (3.2.2.3).
    ///
    /// - Parameter state: The `tracestate` of the same message; ignored if it is invalid.
    package init?(parent: String, state: String? = nil) {
        let text = parent.utf8
        // Later versions may add fields after these.
        guard text.count >= 55, text.count == 55 || !parent.hasPrefix("00") else { return nil }
        let parts = text.split(separator: UInt8(ascii: "-"), maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count >= 4, parts[0].count == 2, parts[1].count == 32, parts[2].count == 16,
            parts[3].count == 2, parts.prefix(4).allSatisfy({ $0.allSatisfy(Self.isHex) }),
            !parent.hasPrefix("ff"), !parts[1].allSatisfy({ $0 == UInt8(ascii: "0") }),
            !parts[2].allSatisfy({ $0 == UInt8(ascii: "0") }),
            let flags = UInt8(String(Substring(parts[3])), radix: 16)
        else { return nil }
        let isSound = state.map { state in
            !state.isEmpty && state.utf8.count <= Self.mostStateBytes
                && state.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
        }
        self.init(
            traceID: String(Substring(parts[1])), spanID: String(Substring(parts[2])), flags: flags & 1,
            state: isSound == true ? state : nil)
    }

    /// The context in the headers; nil if there is none, or more than one.
    package init?(_ headers: Headers) {
        let parents = headers.values("traceparent")
        guard parents.count == 1 else { return nil }
        let states = headers.values("tracestate")
        self.init(parent: parents[0], state: states.isEmpty ? nil : states.joined(separator: ","))
    }

    /// A new trace that begins here.
    package static func root() -> TraceContext {
        var high = UInt64(0)
        while high == 0 { high = UInt64.random(in: .min ... .max) }
        let low = UInt64.random(in: .min ... .max)
        return TraceContext(traceID: Hex.digits(high) + Hex.digits(low), spanID: newSpanID(), flags: 1)
    }

    /// Random, not all zero.
    package static func newSpanID() -> String { Hex.digits(UInt64.random(in: 1 ... .max)) }

    private static func isHex(_ byte: UInt8) -> Bool {
        HTTPByte.isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")) ~= byte
    }

    /// The value of the header.
    package var parent: String { "00-\(traceID)-\(spanID)-\(flags == 0 ? "00" : "01")" }

    /// Whether the caller that began the trace records it.
    package var isSampled: Bool { flags & 1 == 1 }
}

/// One message to a server as a span of a trace (rule 59.3).
package struct TraceSpan: Sendable, Equatable {
    /// The trace, and the ID of the span itself.
    package let context: TraceContext
    /// The ID of the span above it; nil if the trace begins here.
    package let parentID: String?

    /// A new span below another, or one that begins a trace.
    package init(below parent: TraceContext?) { self.init(below: parent ?? .root(), isRoot: parent == nil) }

    /// - Parameter isRoot: If true, only the trace of `above` is used, and the span has no parent.
    fileprivate init(below above: TraceContext, isRoot: Bool) {
        context = TraceContext(
            traceID: above.traceID, spanID: TraceContext.newSpanID(), flags: above.flags, state: above.state)
        parentID = isRoot ? nil : above.spanID
    }
}

/// The parent for the spans of a request's messages.
final class RequestTrace: Sendable {
    private let parent: TraceContext
    private let isRoot: Bool

    /// Whether servers get the span in a header.
    let isNotified: Bool

    /// - Parameter parent: The span on whose behalf the request is made; nil begins a trace.
    init(below parent: TraceContext?, isNotified: Bool) {
        self.isNotified = isNotified
        self.parent = parent ?? .root()
        isRoot = parent == nil
    }

    /// A span for another message.
    func span() -> TraceSpan {
        TraceSpan(below: parent, isRoot: isRoot)
    }
}
