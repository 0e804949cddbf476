import TestSupport
import Testing

@testable import RestEngine

struct HARReaderTests {
    private func read(_ text: String) throws(RecordingError) -> [RecordedExchange] {
        try HARReader.exchanges(Array(text.utf8), path: "a.har")
    }

    private func har(_ entries: String...) -> String {
        #"{"log":{"entries":[\#(entries.joined(separator: ","))]}}"#
    }

    private func response(_ exchange: RecordedExchange?) -> TransportResponse? {
        if case .response(let response)? = exchange?.answer { response } else { nil }
    }

    @Test(arguments: [
        ("", "it is not JSON"), ("[]", "no 'log.entries'"), (#"{"log":{"entries":{}}}"#, "no 'log.entries'"),
        (#"{"log":null}"#, "no 'log.entries'"), (#"{"log":{"entries":[1]}}"#, "entry 1: it has no 'request'"),
        (
            #"{"log":{"entries":[{"request":{"method":"GET","url":"https://a.test/"},"response":{"status":200}},{"request":{}}]}}"#,
            "entry 2: 'request.url' is no text"
        ),
        (
            #"{"log":{"entries":[{"request":{"url":"https://a.test/"}}]}}"#,
            "entry 1: 'request.method' is no method"
        ),
        (
            #"{"log":{"entries":[{"request":{"url":"https://a.test/","method":"G T"}}]}}"#,
            "entry 1: 'request.method' is no method"
        ),
        (
            #"{"log":{"entries":[{"request":{"url":"https://a.test/","method":"GET"}}]}}"#,
            "entry 1: it has no 'response'"
        ),
        (
            #"{"log":{"entries":[{"request":{"url":"https://a.test/","method":"GET"},"response":{"status":"200"}}]}}"#,
            "entry 1: 'response.status' is no integer"
        ),
        (
            #"{"log":{"entries":[{"request":{"url":"https://a.test/","method":"GET"},"response":{"status":99}}]}}"#,
            "entry 1: 'response.status' is 99"
        ),
        (
            #"{"log":{"entries":[{"request":{"url":"https://a.test/","method":"GET"},"response":{"status":200,"content":{"text":"!","encoding":"base64"}}}]}}"#,
            "entry 1: 'response.content.text' is not base64"
        ),
        (
            #"{"log":{"entries":[{"request":{"url":"https://a.test/","method":"GET"},"response":{"status":200,"content":{"text":"x","encoding":"rot13"}}}]}}"#,
            "entry 1: 'response.content.text' has the unknown encoding 'rot13'"
        ),
        (
            #"{"log":{"entries":[{"request":{"url":"https://a.test/","method":"GET"},"response":{"status":200,"headers":[{"name":"a b","value":""}]}}]}}"#,
            "entry 1: a header of 'response.headers'"
        ),
    ])
    func `49.7 what is wrong is said with file and entry`(text: String, message: String) {
        do throws(RecordingError) {
            _ = try read(text)
            Issue.record("it was read")
        } catch { #expect("\(error)".hasPrefix("a.har: ") && "\(error)".contains(message), "\(error)") }
    }

    @Test func `49.6 what a browser writes is read, with as little as it says`() throws {
        let exchanges = try read(
            har(
                #"{"request":{"method":"GET","url":"data:,x"},"response":{"status":200}}"#,
                #"{"_resourceType":"fetch","request":{"method":"GET","url":"https://a.test/x#top","headers":[{"name":":authority","value":"a.test"}]},"response":{"status":200,"httpVersion":"h2","headers":[{"name":":status","value":"200"},{"name":"content-encoding","value":"br"},{"name":"content-length","value":"9"},{"name":"set-cookie","value":"a=1\nb=2"},{"name":"content-type","value":"text/plain"}],"content":{"size":3,"text":"é!"}}}"#,
                #"{"request":{"method":"GET","url":"https://a.test/i"},"response":{"status":200,"content":{"mimeType":"image/gif","encoding":"base64","text":"AP8\n="}}}"#,
                #"{"request":{"method":"GET","url":"https://a.test/lost"},"response":{"status":200,"content":{"size":5}}}"#,
                #"{"request":{"method":"GET","url":"https://a.test/gone"},"response":{"status":0,"_error":"net::ERR_FAILED"}}"#,
                #"{"request":{"method":"GET","url":"https://a.test/none"},"response":{"status":204,"content":{"size":0}}}"#
            ))
        #expect(exchanges.map(\.number) == [2, 3, 4, 5, 6])
        let text = try #require(response(exchanges[0]))
        #expect(exchanges[0].url == "https://a.test/x" && text.httpVersion == "HTTP/2")
        #expect(
            text.headers.fields.map { "\($0.name)=\($0.value)" } == [
                "set-cookie=a=1", "set-cookie=b=2", "content-type=text/plain; charset=utf-8",
            ] || text.headers.values("set-cookie") == ["a=1", "b=2"])
        #expect(text.headers["Content-Type"] == "text/plain; charset=utf-8")
        #expect(text.body == Array("é!".utf8))
        let image = try #require(response(exchanges[1]))
        #expect(image.body == [0, 0xFF] && image.headers["Content-Type"] == "image/gif")
        guard case .unusable = exchanges[2].answer, case .failure(let error) = exchanges[3].answer else {
            Issue.record("\(exchanges[2].answer), \(exchanges[3].answer)")
            return
        }
        #expect(error.code == .connectionFailed && "\(error)".contains("net::ERR_FAILED"))
        #expect(response(exchanges[4])?.body == [])
    }

    @Test func `a mark of bytes before the text and an empty recording are fine`() throws {
        #expect(try read("\u{FEFF}" + har()).isEmpty)
    }

    @Test func `49.7 a file that isn't there, or is no file, is said by its name`() {
        do throws(RecordingError) { _ = try HARReader.read("/nowhere/a.har") } catch {
            #expect("\(error)" == "/nowhere/a.har: it can't be read: No such file or directory")
        }
    }

    @Test func `no text makes the reader fail in another way`() throws {
        let sample = Array(
            har(
                #"{"request":{"method":"POST","url":"https://a.test/x","postData":{"mimeType":"text/plain","text":"b"}},"response":{"status":200,"headers":[{"name":"a","value":"b"}],"content":{"text":"AA==","encoding":"base64"}}}"#
            ).utf8)
        var random = SeededRandom(seed: 5)
        for _ in 0..<3000 {
            var bytes = sample
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes.insert(sample[Int.random(in: 0..<sample.count, using: &random)], at: place)
                }
            }
            _ = try? HARReader.exchanges(bytes, path: "a.har")
        }
    }
}
