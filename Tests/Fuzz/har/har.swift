@testable import RestEngine

/// Reads any text as a recording. The result is compared with itself, as a replay does. The text is also
/// masked, and masking it again must not change it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHAR(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    let masked = MaskedText(String(decoding: bytes, as: UTF8.self))
    precondition(MaskedText(masked.text) == masked, masked.text)
    for type in ["text/html", "application/json", "application/x-www-form-urlencoded"] {
        let body = SecretMask.standard.body(bytes, type)
        precondition(SecretMask.standard.body(body, type) == body)
    }
    guard let exchanges = try? HARReader.exchanges(bytes, path: "a.har") else { return 0 }
    for exchange in exchanges {
        precondition(exchange.number > 0 && !exchange.description.isEmpty)
        // A parsed URL parses to itself.
        precondition(ComparedRequest.url(exchange.url) == exchange.url, exchange.url)
        if case .bytes(let body, let type) = exchange.body {
            let once = ComparedRequest.body(body, type)
            precondition(ComparedRequest.body(body, type) == once)
        }
        if case .response(let response) = exchange.answer {
            precondition((100...999).contains(response.status) && response.headers.problem == nil)
        }
    }
    return 0
}
