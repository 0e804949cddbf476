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
        if target.count == 1, line[start] == UInt8(ascii: "*"), method == .other { return nil }
        guard target.count > 7, line.equalsIgnoringCase("http://", at: start) else { return .badTarget }
        var end = start + 7
        let targetEnd = start + target.count
        while end < targetEnd, line[end] != .slash, line[end] != .question { end += 1 }
        guard end > start + 7 else { return .badTarget }
        host = ByteRange(start: offset + start + 7, count: end - start - 7)
        isHostFromTarget = true
        target = ByteRange(start: offset + end, count: targetEnd - end)
        return nil
    }
}
