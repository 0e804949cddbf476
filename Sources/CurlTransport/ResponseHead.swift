internal import RestEngine

/// Status line and header lines of a response, collected as they come and read once, at the end.
struct ResponseHead {
    private var bytes: [UInt8] = []
    /// Ends of the lines in `bytes`.
    private var ends: [Int] = []
    private(set) var status = 0
    /// `HTTP/1.1`, `HTTP/2`: the first word of the status line.
    private(set) var httpVersion = ""
    /// Codings of the body in the order in which they were applied, those of the transfer behind those of the
    /// content.
    private(set) var codings: [String] = []
    private var transferCodings: [String] = []
    private var length: Length?
    /// The blank line was there; what follows are trailers, or the final response after a 1xx.
    private(set) var isComplete = false
    /// Of all heads of the response and its trailers.
    private var byteCount = 0
    /// Why this is no response that can be taken.
    @Boxed private(set) var fault: TransportError?
    private var known = KnownFields()

    /// For heads and trailers; as libcurl has it for heads alone.
    static let maxBytes = 300 << 10

    private enum Length: Equatable {
        case bytes(Int64), tooLarge
        /// No number; libcurl ends the transfer itself.
        case none
    }

    /// True from the status line of the final response on.
    var isFinal: Bool { status >= 200 }

    var isEncoded: Bool { !codings.isEmpty }
    /// A coding of the transfer is always undone (RFC 9112 7).
    var isTransferEncoded: Bool { !transferCodings.isEmpty }

    mutating func clear() {
        begin()
        byteCount = 0
        fault = nil
    }

    private mutating func begin() {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        status = 0
        httpVersion = ""
        codings = []
        transferCodings = []
        length = nil
        isComplete = false
    }

    /// One line with its line break, as libcurl hands it over.
    mutating func append(_ line: UnsafeRawBufferPointer) {
        byteCount += line.count
        guard byteCount <= Self.maxBytes else {
            fault = .headTooLarge
            return
        }
        if isComplete {
            // Only a 1xx is followed by another head; all else here is a trailer.
            if isFinal { return }
            begin()
        }
        var count = line.count
        while count > 0, line[count - 1] == 0x0A || line[count - 1] == 0x0D { count -= 1 }
        guard count > 0 else {
            isComplete = true
            codings += transferCodings
            return
        }
        bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: line[..<count]))
        ends.append(bytes.count)
        if ends.count == 1 {
            status = Self.statusCode(line)
            httpVersion = Self.version(line)
            if status == 101 { fault = .unaskedProtocol }
        } else if count > 14, line[0] | 0x20 == UInt8(ascii: "c") || line[0] | 0x20 == UInt8(ascii: "t") {
            noteFraming(UnsafeRawBufferPointer(rebasing: line[..<count]))
        }
    }

    /// Notes the body's length and coding from a line of the head.
    private mutating func noteFraming(_ line: UnsafeRawBufferPointer) {
        guard let colon = line.first(0x3A) else { return }
        let name = UnsafeRawBufferPointer(rebasing: line[..<colon])
        let value = line[(colon + 1)...]
        switch colon {
        case 14 where name.isExactly("content-length"): noteLength(value)
        case 16 where name.isExactly("content-encoding"): codings += Self.codings(value)
        case 17 where name.isExactly("transfer-encoding"): transferCodings += Self.codings(value)
        default: break
        }
    }

    /// The same length several times is one (RFC 9110 8.6).
    private mutating func noteLength(_ value: Slice<UnsafeRawBufferPointer>) {
        var rest = value
        while true {
            let comma = rest.firstIndex(of: UInt8(ascii: ","))
            let number = Self.length(rest[..<(comma ?? rest.endIndex)])
            if let length, length != number { fault = .contradictoryLength }
            length = number
            if number == .tooLarge { fault = .lengthTooLarge }
            guard let comma else { return }
            rest = rest[(comma + 1)...]
        }
    }

    private static func length(_ text: Slice<UnsafeRawBufferPointer>) -> Length {
        var number: Int64?
        for byte in text.trimmed {
            guard (0x30...0x39).contains(byte) else { return .none }
            let (tens, isTooLarge) = (number ?? 0).multipliedReportingOverflow(by: 10)
            let (sum, isMore) = tens.addingReportingOverflow(Int64(byte - 0x30))
            if isTooLarge || isMore { return .tooLarge }
            number = sum
        }
        return number.map { .bytes($0) } ?? .none
    }

    private static func codings(_ value: Slice<UnsafeRawBufferPointer>) -> [String] {
        lowercased(value).split(separator: ",").map { String($0.filter { $0 != " " && $0 != "\t" }) }
            .filter { !["", "identity", "none", "chunked"].contains($0) }
    }

    private static func lowercased(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        String(decoding: UnsafeRawBufferPointer(rebasing: bytes), as: UTF8.self).lowercased()
    }

    /// The three digits after the first space; 0 if there are none.
    private static func statusCode(_ line: UnsafeRawBufferPointer) -> Int {
        guard let space = line.first(0x20), line.count >= space + 4 else { return 0 }
        var code = 0
        for byte in line[(space + 1)...(space + 3)] {
            guard (0x30...0x39).contains(byte) else { return 0 }
            code = code * 10 + Int(byte - 0x30)
        }
        return code
    }

    private static func version(_ line: UnsafeRawBufferPointer) -> String {
        line.equals("HTTP/1.1 ", at: 0)
            ? "HTTP/1.1" : String(decoding: line.prefix { !" \r\n".utf8.contains($0) }, as: UTF8.self)
    }

    /// The fields in order. `isDecoded`: the body was decompressed, so what described the encoded one is left
    /// out.
    mutating func headers(isDecoded: Bool) -> Headers {
        known.headers(of: bytes, ends, isDecoded: isDecoded)
    }
}
