extension URLText {
    /// The parts, to be changed and assembled again.
    var reference: URLReference {
        let bytes = Array(string.utf8)
        var authority: URLAuthority?
        if offsets.hasAuthority {
            let start = offsets.schemeEnd > 0 ? offsets.schemeEnd + 3 : 2
            authority = URLAuthority(
                userinfo: offsets.hostStart > start ? Array(bytes[start..<(offsets.hostStart - 1)]) : nil,
                host: Array(bytes[offsets.hostStart..<offsets.hostEnd]),
                port: offsets.port == nil ? nil : Array(bytes[(offsets.hostEnd + 1)..<offsets.pathStart]),
                portNumber: offsets.port)
        }
        return URLReference(
            scheme: offsets.schemeEnd > 0 ? Array(bytes[..<offsets.schemeEnd]) : nil,
            authority: authority,
            path: bytes[offsets.pathStart..<offsets.pathEnd],
            query: offsets.hasQuery ? bytes[(offsets.pathEnd + 1)..<offsets.queryEnd] : nil,
            fragment: offsets.hasFragment ? bytes[(offsets.queryEnd + 1)...] : nil)
    }
}
