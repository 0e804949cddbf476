import RestEngine

extension RequestHead {
    /// `field-name ":" OWS field-value OWS` (RFC 9112 5). Only fields that this gateway acts on are kept.
    mutating func readField(_ line: UnsafeRawBufferPointer, offset: Int) -> RequestFault? {
        if line[0] == .space || line[0] == .tab { return .foldedField }
        var colon = 0
        while colon < line.count, HTTPByte.isToken(line[colon]) { colon += 1 }
        guard colon > 0, colon < line.count, line[colon] == .colon else { return .badField }
        var start = colon + 1
        var end = line.count
        while start < end, HTTPByte.isBlank(line[start]) { start += 1 }
        while end > start, HTTPByte.isBlank(line[end - 1]) { end -= 1 }
        for byte in line[start..<end] where !HTTPByte.isFieldValue(byte) { return .badField }
        let value = UnsafeRawBufferPointer(rebasing: line[start..<end])
        let range = ByteRange(start: offset + start, count: end - start)
        switch colon {
        case 4 where line.equalsIgnoringCase("host", at: 0):
            hostCount += 1
            if !isHostFromTarget { host = range }
        case 6 where line.equalsIgnoringCase("expect", at: 0):
            if value.isExactly("100-continue") {
                expectsContinue = true
            } else {
                hasUnknownExpectation = true
            }
        case 10 where line.equalsIgnoringCase("connection", at: 0):
            value.forEachListMember { member in
                if member.isExactly("close") { saysClose = true }
                if member.isExactly("keep-alive") { saysKeepAlive = true }
            }
        case 13 where line.equalsIgnoringCase("if-none-match", at: 0):
            hasSeveralIfNoneMatch = ifNoneMatch != nil
            ifNoneMatch = range
        case 13 where line.equalsIgnoringCase("authorization", at: 0):
            authorizationCount += 1
            authorization = range
        case 14 where line.equalsIgnoringCase("content-length", at: 0):
            // RFC 9110 8.6 lets a reader accept a repeated equal value; refusing it is the safe choice.
            guard contentLength == nil, let length = value.decimal else { return .badContentLength }
            contentLength = length
        case 17 where line.equalsIgnoringCase("transfer-encoding", at: 0):
            transferEncodingCount += 1
            isChunked = value.isExactly("chunked")
        default: break
        }
        return nil
    }
}
