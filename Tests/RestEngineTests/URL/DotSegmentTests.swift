import TestSupport
import Testing

@testable import RestEngine

/// No path leads up, from whatever source (D31).
@Suite(.leakChecked) @EngineActor
struct DotSegmentTests {
    let fixture = EngineFixture(baseURL: "https://api.test/api/v1/?token=secret")

    /// Texts of paths, from scripts, clients or answers.
    nonisolated static let texts = [
        "..", ".", "../admin", "users/../../admin", "./x", "/../admin", "%2e%2e", "%2e%2e/admin",
        ".%2E/admin",
        "..%2fadmin", "%2e%2e%2Fadmin", "%252e%252e/admin", "..\\admin", "%5c..%5cadmin", "..;v=1/admin",
        "users/..", "a%2f..%2fb",
    ]

    private func error(of request: Request) -> RequestError? {
        var error: RequestError?
        request.onCompletion { if case .failure(let failure) = $0.response { error = failure } }
        fixture.settle()
        return error
    }

    private func expectRefusal(_ request: Request, _ way: String) {
        guard case .invalidURL? = error(of: request)?.cause else {
            Issue.record("\(way) was sent, or failed otherwise")
            return
        }
        #expect(fixture.transport.requests.isEmpty, "\(way)")
    }

    @Test(arguments: texts) func `3.2 3.4 text with a dot segment names no resource`(text: String) {
        let service = fixture.service
        expectRefusal(service.resource(text).request(.get), "resource")
        expectRefusal(service.resource("users").child(text).request(.get), "child")
        expectRefusal(
            service.resource(baseURL: "https://api.test/x", path: text).request(.get), "a base of its own")
        if let url = URLText("https://api.test/api/v1/" + text), !text.contains("\\") {
            expectRefusal(service.resource(absoluteURL: url.string).request(.get), "an absolute URL")
            let resource = service.resource("users")
            var options = RequestOptions()
            options.mutate = { $0.url = url.string }
            expectRefusal(resource.request(.get, options), "a mutation")
        }
    }

    @Test(arguments: texts) func `37.3 37.4 37.6 definitions neither`(text: String) throws {
        let endpoint = try EndpointDefinition(fixture.service)
        #expect(mistake { try PathComponent(text) } == .dotSegment)
        #expect(mistake { try endpoint.endpoint(text) } == .dotSegment)
        #expect(mistake { try PathTemplate(text) } == .dotSegment)
        #expect(mistake { try PathTemplate("a/{b}").filled(["b": PathComponent(text)]) } == .dotSegment)
    }

    @Test func `37.7 a value that makes a dot segment of the text beside it is refused`() throws {
        let template = try PathTemplate("x/.{a}")
        for value in ["/admin", "\\admin", ";x"] {
            #expect(mistake { try template.filled(["a": PathComponent(value)]) } == .dotSegment)
        }
    }

    @Test(
        "3.5 D31 a link from data is followed, but no dots lead it out of the base",
        arguments: [
            ("c", "https://api.test/api/v1/users/c"), ("../c", "https://api.test/api/v1/c"),
            ("../../v1/c", "https://api.test/api/v1/c"), ("/c", "https://api.test/c"), ("c?../../x", nil),
            ("https://other.test/a/../b", "https://other.test/b"),
            ("//other.test/../b", "https://other.test/b"),
            ("/api/v1/../../c", "https://api.test/c"), ("../../c", ":"), ("../../../../c", ":"),
            ("../..", ":"),
            ("./../../c", ":"), ("%2e%2e/c", ":"), ("%2e%2e/../../c", "https://api.test/api/v1/c"),
            ("/x/%2e%2e/c", ":"),
            ("..%2fc", ":"),
            ("https://api.test/api/v1/%2E%2e/c", ":"),
        ] as [(String, String?)])
    func links(href: String, url: String?) {
        let page = fixture.service.resource("users/octocat")
        #expect(page.relative(href).urlString == url ?? "https://api.test/api/v1/users/c?../../x")
        // A page of another host isn't restricted.
        let elsewhere = fixture.service.resource(absoluteURL: "https://other.test/a/b")
        #expect(elsewhere.relative("../c").urlString == "https://other.test/c")
    }

    @Test func `3.7 a query may say what it likes`() {
        let resource = fixture.service.resource("users").withParam("path", "../../admin")
        #expect(resource.urlString == "https://api.test/api/v1/users?path=../../admin&token=secret")
    }

    @Test func `D31 the error says what is wrong`() {
        let text = error(of: fixture.service.resource("../admin").request(.get)).map { "\($0)" }
        #expect(
            text?.contains(
                "'https://api.test/api/v1/../admin?token=***' has a segment '.' or '..' in its path")
                == true,
            "\(text as Any)")
    }
}
