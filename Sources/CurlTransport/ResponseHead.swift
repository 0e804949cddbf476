internal import RestEngine

/// Status line and header lines of a response, collected as they come and read once, at the end.
struct ResponseHead {
    private var bytes: [UInt8] = []
    /// Ends of the lines in `bytes`.
    private var ends: [Int] = []
    private(set) var status = 0
    /// A content coding is named, which libcurl undoes.
    private(set) var isEncoded = false
    /// The blank line was there; what follows are trailers, or the final response after a 1xx.
    private var isComplete = false

    /// True from the status line of the final response on.
    var isFinal: Bool { status >= 200 }

    mutating func clear() {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        status = 0
        isEncoded = false
        isComplete = false
    }

    /// One line with its line break, as libcurl hands it over.
    mutating func append(_ line: UnsafeRawBufferPointer) {
        if isComplete {
            // Only a 1xx is followed by another head; all else here is a trailer.
            if isFinal { return }
            clear()
        }
        var count = line.count
        while count > 0, line[count - 1] == 0x0A || line[count - 1] == 0x0D { count -= 1 }
        guard count > 0 else {
            isComplete = true
            return
        }
        bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: line[..<count]))
        ends.append(bytes.count)
        if ends.count == 1 {
            status = Self.statusCode(line)
        } else if count > 17, line[0] | 0x20 == UInt8(ascii: "c") {
            noteEncoding(UnsafeRawBufferPointer(rebasing: line[..<count]))
        }
    }

    private mutating func noteEncoding(_ line: UnsafeRawBufferPointer) {
        let name = line.prefix { $0 != 0x3A }
        guard name.count == 16, Self.lowercased(name) == "content-encoding" else { return }
        let value = Self.lowercased(line[(name.endIndex + 1)...]).filter { $0 != " " && $0 != "\t" }
        if !value.isEmpty, value != "identity" { isEncoded = true }
    }

    private static func lowercased(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        String(decoding: UnsafeRawBufferPointer(rebasing: bytes), as: UTF8.self).lowercased()
    }

    /// The three digits after the first space; 0 if there are none.
    private static func statusCode(_ line: UnsafeRawBufferPointer) -> Int {
        guard let space = line.firstIndex(of: 0x20), line.count >= space + 4 else { return 0 }
        var code = 0
        for byte in line[(space + 1)...(space + 3)] {
            guard (0x30...0x39).contains(byte) else { return 0 }
            code = code * 10 + Int(byte - 0x30)
        }
        return code
    }

    /// `HTTP/1.1`, `HTTP/2`: the first word of the status line.
    var httpVersion: String {
        guard let end = ends.first else { return "" }
        return String(decoding: bytes[..<end].prefix { $0 != 0x20 }, as: UTF8.self)
    }

    /// The fields in order. `isDecoded`: the body was decompressed, so what described the encoded one is left
    /// out.
    func headers(isDecoded: Bool) -> Headers {
        var fields: [Headers.Field] = []
        fields.reserveCapacity(ends.count)
        bytes.withUnsafeBufferPointer { bytes in
            for line in 1..<max(1, ends.count) {
                let text = bytes[ends[line - 1]..<ends[line]]
                if text[text.startIndex] == 0x20 || text[text.startIndex] == 0x09 {
                    // A folded line (RFC 9112 5.2) goes on with the value before it.
                    if !fields.isEmpty { fields[fields.count - 1].value += " " + Self.text(Self.trim(text)) }
                    continue
                }
                guard let colon = text.firstIndex(of: 0x3A) else { continue }
                let name = Self.text(Self.trim(text[..<colon]))
                if isDecoded, Self.describesEncoding(name) { continue }
                fields.append(Headers.Field(name, Self.text(Self.trim(text[(colon + 1)...]))))
            }
        }
        return Headers(fields)
    }

    private typealias Text = Slice<UnsafeBufferPointer<UInt8>>

    private static func trim(_ text: Text) -> Text {
        var text = text
        while let byte = text.first, byte == 0x20 || byte == 0x09 { text.removeFirst() }
        while let byte = text.last, byte == 0x20 || byte == 0x09 { text.removeLast() }
        return text
    }

    private static func text(_ bytes: Text) -> String {
        String(decoding: UnsafeBufferPointer(rebasing: bytes), as: UTF8.self)
    }

    private static func describesEncoding(_ name: String) -> Bool {
        switch name.utf8.count {
        case 14: name.lowercased() == "content-length"
        case 16: name.lowercased() == "content-encoding"
        default: false
        }
    }
}
