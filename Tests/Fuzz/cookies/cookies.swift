/// Reads arbitrary bytes as Set-Cookie headers. A jar may send its cookies back only where they belong, and
/// must not exceed its limits.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: unsafe UnsafeBufferPointer(start: data, count: count), as: UTF8.self)
    var table = CookieTable { !$0.contains(".") || $0 == "co.uk" }
    let places = [
        CookiePlace(host: "www.example.com", path: "/a/b", isSecure: true),
        CookiePlace(host: "example.com", path: "/", isSecure: false),
        CookiePlace(host: "shop.co.uk", path: "/a", isSecure: true),
        CookiePlace(host: "10.0.0.1", path: "", isSecure: false),
    ]
    for (number, line) in text.split(separator: "\n").prefix(200).enumerated() {
        guard let sent = SetCookie(String(line)) else { continue }
        precondition(
            !sent.name.isEmpty && sent.name.utf8.count + sent.value.utf8.count <= SetCookie.mostBytes)
        precondition(sent.maxAge.map { 0...SetCookie.mostSeconds ~= $0 } ?? true)
        _ = try? table.take(sent, from: places[number % places.count], at: Double(number))
    }
    precondition(table.count <= CookieTable.mostInAll)
    for cookie in table.all(at: 0) {
        precondition(cookie.isHostOnly || cookie.domain.contains(".") && cookie.domain != "co.uk")
        precondition(cookie.path.hasPrefix("/"))
    }
    for place in places + [CookiePlace(host: "evil.co.uk", path: "/", isSecure: true)] {
        guard let header = table.header(for: place, at: 0) else { continue }
        precondition(header.utf8.count <= CookieTable.mostHeaderBytes)
        precondition(header.utf8.allSatisfy(HTTPByte.isFieldValue) && place.host != "evil.co.uk")
        if !place.isSecure {
            let names = table.all(at: 0).filter { !$0.isSecure }.map(\.name)
            precondition(names.contains { header.hasPrefix($0 + "=") })
        }
    }
    return 0
}
