import RestEngine
import TestSupport
import Testing

@testable import Gateway

@Suite struct RouteQueryTests {
    private let known = ["service", "path"]

    @Test func `Parameters are decoded`() throws {
        let query = try RouteQuery("service=my%20api&path=/a%3Fb%3D1=2", known: known)
        #expect(query["service"] == "my api")
        #expect(query["path"] == "/a?b=1=2")
        #expect(try query.needed("path") == "/a?b=1=2")
    }

    @Test(arguments: [nil, "", "&&", "service", "service=", "path=&service="] as [String?])
    func `A missing query is the same as an empty one`(_ text: String?) throws {
        let query = try RouteQuery(text, known: known)
        #expect(query["service"] == nil)
        #expect(throws: Problem.self) { try query.needed("service") }
    }

    @Test(arguments: ["servce=a", "service=a&service=b", "service=%FF", "=a", "%FF=a", "method=GET"])
    func `An ambiguous query is refused`(_ text: String) {
        #expect {
            _ = try RouteQuery(text, known: known)
        } throws: {
            ($0 as? Problem)?.code == "bad_parameter"
        }
    }

    @Test func `A count has limits`() throws {
        func count(_ text: String) throws -> Int {
            try RouteQuery("limit=" + text, known: ["limit"]).count("limit", default: 7, most: 100)
        }
        #expect(try RouteQuery(nil, known: ["limit"]).count("limit", default: 7, most: 100) == 7)
        #expect(try count("100") == 100)
        for text in ["", "0", "101", "-1", "x", "1e2", "99999999999999999999"] {
            #expect(throws: Problem.self) { try count(text) }
        }
    }

    @Test func `Whatever the bytes, a query is read or refused, and means what was encoded`() throws {
        var random = SeededRandom(seed: 23)
        let alphabet = Array("=&%+?/#abservicpath0F\u{7F}é ".unicodeScalars)
        for _ in 0..<4000 {
            let scalars = (0..<Int.random(in: 0...24, using: &random)).map { _ in
                alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
            }
            let text = String(String.UnicodeScalarView(scalars))
            _ = try? RouteQuery(text, known: known)
            let value = try RouteQuery("path=" + PercentEncoding.component(Array(text.utf8)), known: known)
            #expect(value["path"] == (text.isEmpty ? nil : text))
        }
    }
}
