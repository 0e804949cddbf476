/// Where to listen: `host:port`, with an IPv6 address in brackets.
struct FixtureAddress: Equatable, Sendable, CustomStringConvertible {
    let host: String
    var port: Int

    init(_ text: String) throws(FixtureFailure) {
        let failure = FixtureFailure("cannot listen on \(text): expected HOST:PORT, such as 127.0.0.1:0")
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            (0...65535).contains(port)
        else { throw failure }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            throw failure
        }
        guard !host.isEmpty else { throw failure }
        self.host = String(host)
        self.port = port
    }

    var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
