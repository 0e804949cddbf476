import RestEngine
import Testing

@testable import RestFixtures

struct FixtureReadTests {
    @Test(arguments: [
        ("/users/hubot", #"200 {"id":2,"login":"hubot"}"#),
        ("/users/hubot.json", #"200 {"id":2,"login":"hubot"}"#),
        ("/teams", #"200 [{"id":"red"}]"#), ("/teams/red", #"200 {"id":"red"}"#), ("/teams/blue", notFound),
        ("/users/octocat/repos/8", #"200 {"id":8,"name":"reef"}"#), ("/logo.png", "200 pixels"),
        ("/logo", notFound),
        ("/odd/broken", "200 [1,"), ("/users/../users", notFound), ("/users/octocat", "200 " + octocat),
        ("/users", #"200 [{"id":2,"login":"hubot"},\#(octocat)]"#), ("/users/octocat/repos/8/name", notFound),
        ("/odd", #"500 {"message":"The fixture /odd/broken is no JSON from offset 3"}"#),
        ("/users/hubot?status=201", #"201 {"id":2,"login":"hubot"}"#), ("/users/hubot?status=204", "204"),
        ("/nope?status=503", #"503 {"message":"Service Unavailable"}"#),
        ("/users?status=599", #"599 {"message":"Status 599"}"#),
        ("/users?status=100", #"400 {"message":"status must be a number from 200 to 599"}"#),
        ("/users?delay=-1", #"400 {"message":"delay must be a number of seconds from 0 to 60"}"#),
        ("/users?delay=nan", #"400 {"message":"delay must be a number of seconds from 0 to 60"}"#),
        ("/users?page=0", #"400 {"message":"page must be a whole number from 1"}"#),
        ("users", #"400 {"message":"The target must start with a slash"}"#),
    ])
    func `a path is answered from the folder`(target: String, expected: String) {
        var asker = FixtureAsker()
        #expect(asker.line("GET", target) == expected)
    }

    @Test func `an answer has its type, validators, length and date; HEAD has no body`() {
        var asker = FixtureAsker()
        let get = asker.ask("GET", "/logo.png")
        #expect(get.headers["Content-Type"] == "image/png")
        #expect(get.headers["Content-Length"] == "6")
        #expect(get.headers["Last-Modified"] == HTTPDate.text(unixSeconds: FixtureAsker.modified))
        #expect(get.headers["Date"] == HTTPDate.text(unixSeconds: 2_000_000))
        var head = asker.ask("HEAD", "/logo.png")
        #expect(head.body.isEmpty)
        head.body = get.body
        #expect(head == get)
    }

    @Test func `a client that has the content gets 304, until it changes`() throws {
        var asker = FixtureAsker()
        let first = asker.ask("GET", "/users/hubot")
        let tag = try #require(first.headers["ETag"])
        let again = asker.ask("GET", "/users/hubot", [("If-None-Match", tag)])
        #expect(again.status == 304)
        #expect(again.body.isEmpty)
        #expect(again.headers["ETag"] == tag)
        #expect(!again.headers.contains("Content-Length"))
        let date = try #require(first.headers["Last-Modified"])
        #expect(asker.ask("GET", "/users/hubot", [("If-Modified-Since", date)]).status == 304)
        #expect(
            asker.ask("GET", "/users/hubot", [("If-None-Match", "\"x\""), ("If-Modified-Since", date)]).status
                == 200)
        _ = asker.ask("PATCH", "/users/hubot", body: #"{"name":"Hubot"}"#)
        #expect(asker.ask("GET", "/users/hubot", [("If-None-Match", tag)]).status == 200)
    }

    @Test func `a delay is part of the answer, not of the work`() {
        var asker = FixtureAsker()
        #expect(asker.ask("GET", "/users/hubot?delay=0.5").delay == 0.5)
        #expect(asker.ask("GET", "/users/hubot?delay=0.5&status=503").delay == 0.5)
    }

    @Test(arguments: [
        ("per_page=2", #"[{"id":7,"name":"ink"},{"id":8,"name":"reef"}]"#, "next 2 last 2"),
        ("page=2&per_page=2", #"[{"id":9,"name":"kelp"}]"#, "first 1 prev 1"),
        ("page=2&per_page=1", #"[{"id":8,"name":"reef"}]"#, "first 1 prev 1 next 3 last 3"),
        ("page=9&per_page=2", "[]", "first 1 prev 2"), ("page=1", all, ""),
        ("page=9223372036854775807", "[]", "first 1 prev 1"),
    ])
    func `a list comes in pages that link to the others`(query: String, body: String, links: String) {
        var asker = FixtureAsker()
        let response = asker.ask("GET", "/users/octocat/repos?q=a%20b&" + query, [("Host", "api.test")])
        #expect(response.text == body)
        let parts = (response.headers["Link"] ?? "").split(separator: ", ").map { link in
            #expect(link.hasPrefix("<http://api.test/users/octocat/repos?q=a%20b&page="))
            let page = link.split(separator: "&page=").last?.prefix(while: \.isNumber) ?? ""
            return "\(link.split(separator: "\"").dropFirst().first ?? "") \(page)"
        }
        #expect(parts.joined(separator: " ") == links)
    }

    private static let notFound = #"404 {"message":"Not Found"}"#
    private static let octocat = #"{"id":1,"login":"octocat","plan":{"name":"free","seats":1}}"#
    private static let all = #"[{"id":7,"name":"ink"},{"id":8,"name":"reef"},{"id":9,"name":"kelp"}]"#
}
