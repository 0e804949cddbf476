import RestEngine

extension RequestHead {
    /// `method SP request-target SP HTTP-version` (RFC 9112 3).
    mutating func readRequestLine(
        _ line: UnsafeRawBufferPointer, offset: Int, _ limits: GatewayLimits
    ) -> RequestFault? {
        guard let first = line.firstIndex(of: .space), first > 0,
            let last = line.lastIndex(of: .space), last > first + 1
        else { return .badRequestLine }
        for byte in line[..<first] where !HTTPByte.isToken(byte) { return .badRequestLine }
        if let fault = readVersion(UnsafeRawBufferPointer(rebasing: line[(last + 1)...])) { return fault }
        for byte in line[(first + 1)..<last] where !HTTPByte.isTarget(byte) { return .badTarget }
        if last - first - 1 > limits.maxTargetBytes { return .targetTooLong }
        methodRange = ByteRange(start: offset, count: first)
        // RFC 9113 3.4: nothing but the beginning of HTTP/2, which other readers go on with.
        if first == 3, line.equals("PRI", at: 0) { return .badVersion }
        // RFC 9110 9.3.6: what follows it is the tunnel's, so its length must not be guessed.
        if first == 7, line.equals("CONNECT", at: 0) { return .tunnel }
        if first == 3, line.equals("GET", at: 0) {
            method = .get
        } else if first == 4, line.equals("HEAD", at: 0) {
            method = .head
        } else {
            method = .other
        }
        target = ByteRange(start: offset + first + 1, count: last - first - 1)
        return line[first + 1] == .slash ? nil : readSpecialTarget(line, offset: offset)
    }

    private mutating func readVersion(_ text: UnsafeRawBufferPointer) -> RequestFault? {
        guard text.count == 8, text.equals("HTTP/", at: 0), text[6] == .dot, HTTPByte.isDigit(text[5]),
            HTTPByte.isDigit(text[7])
        else { return .badRequestLine }
        guard text[5] == UInt8(ascii: "1") else { return .badVersion }
        // RFC 9110 2.5: a higher minor version of 1 is answered as 1.1.
        minorVersion = text[7] == UInt8(ascii: "0") ? 0 : 1
        return nil
    }

    /// `http://host/path`, which every server must accept, and the `*` of OPTIONS (RFC 9112 3.2.2, 3.2.4).
    private mutating func readSpecialTarget(_ line: UnsafeRawBufferPointer, offset: Int) -> RequestFault? {
        let start = target.start - offset
        if target.count == 1, line[start] == UInt8(ascii: "*") {
            return methodRange.count == 7 && line.equals("OPTIONS", at: 0) ? nil : .badTarget
        }
        guard target.count > 7, line.equalsIgnoringCase("http://", at: start) else { return .badTarget }
        var end = start + 7
        let targetEnd = start + target.count
        while end < targetEnd, line[end] != .slash, line[end] != .question { end += 1 }
        let authority = line[(start + 7)..<end]
        guard !authority.isEmpty, authority.allSatisfy(Self.isAuthority),
            authority.count(where: { $0 == UInt8(ascii: "@") }) < 2
        else { return .badTarget }
        host = ByteRange(start: offset + start + 7, count: end - start - 7)
        isHostFromTarget = true
        target = ByteRange(start: offset + end, count: targetEnd - end)
        return nil
    }
    /// Of what a target may have: all that RFC 3986 3.2 lets into a host, a port and what stands before an `@`.
    private static func isAuthority(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "^"),
            UInt8(ascii: "`"),
            UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
            false
        default: true
        }
    }
}
