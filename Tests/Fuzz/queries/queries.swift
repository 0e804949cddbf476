@testable import RestEngine

/// Reads any text as the query, the form and the cookies of a client.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzQueries(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    let text = String(decoding: bytes, as: UTF8.self)
    readQuery(text)
    readForm(bytes)
    readCookies(text)
    return 0
}

private typealias Pairs = [(name: String, value: String)]

private func compare(_ some: Pairs, with others: Pairs) {
    precondition(some.map(\.name) == others.map(\.name) && some.map(\.value) == others.map(\.value))
}

/// Written anew, the pairs are the same. A pair that is added at the end changes none.
private func readQuery(_ text: String) {
    let pairs = ServedRequest.pairs(ofQuery: text)
    precondition(pairs.count <= text.utf8.count)
    let written = pairs.map {
        PercentEncoding.parameter($0.name) + "=" + PercentEncoding.parameter($0.value)
    }
    compare(ServedRequest.pairs(ofQuery: written.joined(separator: "&")), with: pairs)
    compare(ServedRequest.pairs(ofQuery: text + "&last=1"), with: pairs + [("last", "1")])
}

private func form(_ bytes: [UInt8]) -> Pairs {
    let headers = Headers([("Content-Type", "application/x-www-form-urlencoded")])
    guard let form = ServedRequest(method: "POST", path: "/", headers: headers, body: .held(bytes)).form
    else {
        preconditionFailure("it is a form")
    }
    return form
}

/// The reader of recordings takes the same pairs, if the body and all of them are text.
private func readForm(_ bytes: [UInt8]) {
    let pairs = form(bytes)
    let written = pairs.map { PercentEncoding.form($0.name) + "=" + PercentEncoding.form($0.value) }
    compare(form(Array(written.joined(separator: "&").utf8)), with: pairs)
    compare(form(bytes + Array("&last=1".utf8)), with: pairs + [("last", "1")])
    guard String(validating: bytes, as: UTF8.self) != nil else { return }
    let others = ComparedRequest.pairs(of: bytes)
    precondition(others.count == pairs.count)
    for (pair, other) in zip(pairs, others) {
        if (other.name + other.value).unicodeScalars.contains("\u{FFFD}") { continue }
        compare([pair], with: [other])
    }
}

/// Each line is a field. Names are unique, and neither a name nor a value has a separator in it.
private func readCookies(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).prefix(20)
    func cookies(_ added: String = "") -> Pairs {
        let fields = lines.map { ("Cookie", String($0)) }
        let headers = Headers(fields.dropLast() + [("cookie", String(lines.last ?? "") + added)])
        return ServedRequest(method: "GET", path: "/", headers: headers).cookies
    }
    let found = cookies()
    precondition(Set(found.map(\.name)).count == found.count)
    for cookie in found {
        precondition(!cookie.name.isEmpty && !cookie.name.utf8.contains { ";=".utf8.contains($0) })
        precondition(!cookie.value.utf8.contains(UInt8(ascii: ";")))
        for part in [cookie.name, cookie.value] {
            for byte in [part.utf8.first, part.utf8.last].compactMap(\.self) {
                precondition(!HTTPByte.isBlank(byte))
            }
        }
    }
    let known = found.contains { $0.name == "last" }
    compare(cookies("; last=1"), with: known ? found : found + [("last", "1")])
}
