import RestEngine
import Testing

@testable import CurlTransport

struct TransportErrorTests {
    @Test func `every code of libcurl has a sentence`() {
        #expect(TransportError.curlCodes.count > 90)
        for code in TransportError.curlCodes {
            for hasResponse in [false, true] {
                let error = TransportError(curlCode: code, hasResponse: hasResponse, detail: "")
                #expect(error.message.contains(" "))
                #expect(!error.message.hasSuffix("."))
            }
        }
    }

    @Test(arguments: [
        (3, "invalid_url"), (5, "dns_failed"), (6, "dns_failed"), (7, "connection_failed"), (28, "timeout"),
        (35, "tls_failed"), (52, "connection_failed"), (55, "connection_failed"), (56, "connection_failed"),
        (18, "connection_failed"), (60, "tls_failed"), (61, "decoding_failed"), (77, "tls_failed"),
        (27, "internal"),
        (92, "connection_failed"), (79, "internal"),
    ])
    func `codes become the engine's`(code: UInt32, name: String) {
        let error = TransportError(curlCode: code, hasResponse: false, detail: "")
        #expect(error.code.rawValue == name)
    }

    @Test func `only a certificate's fault is quoted from libcurl`() {
        let trusted = TransportError(
            curlCode: 60, hasResponse: false, detail: "SSL certificate problem: self-signed certificate")
        #expect(trusted.message == "the server's certificate can't be trusted: self-signed certificate")
        let other = TransportError(
            curlCode: 7, hasResponse: false, detail: "Failed to connect to secret.test")
        #expect(!other.message.contains("secret"))
    }
}
