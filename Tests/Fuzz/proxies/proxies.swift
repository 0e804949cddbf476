import Platform
import RestEngine

/// Reads arbitrary bytes as the header of the PROXY protocol, and as the fields in which proxies state the
/// addresses of their clients. Bytes that a client sends may not change what a trusted proxy adds to them.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(unsafe UnsafeBufferPointer(start: data, count: count))
    for start in [[], signature, Array("PROXY ".utf8)] { readHeader(start + bytes) }
    for name in ["Forwarded", "X-Forwarded-For"] { readFields(name, bytes) }
    _ = ForwardedAddress.address(ofNode: Substring(String(decoding: bytes, as: UTF8.self)))
    return 0
}

private let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10]

/// A decision about the first bytes stays, whatever comes behind them.
private func readHeader(_ bytes: [UInt8]) {
    let whole = ProxyHeaderReader.read(bytes)
    switch whole {
    case .needMore: precondition(bytes.count < ProxyHeaderReader.mostBytes)
    case .fault: break
    case .header(let source, let length):
        precondition(length <= bytes.count && length <= ProxyHeaderReader.mostBytes)
        if case .address(let address) = source { check(address) }
    }
    // Long inputs are cut at a few places, because each reads all bytes before it.
    for end in bytes.indices where end < 160 || end % 97 == 0 {
        let step = ProxyHeaderReader.read(Array(bytes[..<end]))
        precondition(step == .needMore || step == whole)
    }
}

private func check(_ address: NetworkAddress) {
    precondition(address.bytes.count == 4 || address.bytes.count == 16)
    precondition(NetworkAddress(address.text) == address)
}

/// Each line is a field of the client, to which two proxies add what they see.
private func readFields(_ name: String, _ bytes: [UInt8]) {
    guard let proxies = try? TrustedProxies(["10.0.0.0/8"]) else { preconditionFailure("a good network") }
    let lines = bytes.split(separator: 10, maxSplits: 4, omittingEmptySubsequences: false).map { line in
        line.filter(HTTPByte.isFieldValue)
    }
    func client(_ added: [String]) -> NetworkAddress? {
        let values = lines.dropLast() + [(lines.last ?? []) + Array(added.joined().utf8)]
        let fields = values.map { Array("\(name): ".utf8) + $0 + [13, 10] }
        let head = Array("GET / HTTP/1.1\r\n".utf8) + fields.joined() + [13, 10]
        return ForwardedAddress.client(RequestFields(head), proxies)
    }
    if let own = client([]) { check(own) }
    let addresses =
        name == "Forwarded"
        ? [", for=203.0.113.9", ", for=\"203.0.113.9:80\";proto=https"]
        : [", 203.0.113.9", ",203.0.113.9:80"]
    let inner = name == "Forwarded" ? ", for=10.1.1.1" : ", 10.1.1.1"
    for address in addresses {
        for added in [[address], [address, inner], [address, inner, inner]] {
            precondition(client(added)?.bytes == [203, 0, 113, 9], "\(name): \(added)")
        }
    }
}
