import RestEngine
import Testing

@testable import RestFixtures

struct FixtureChangeTests {
    @Test func `POST appends to a list and says where the item is`() {
        var asker = FixtureAsker()
        let response = asker.ask("POST", "/users/octocat/repos", body: #"{"name":"new"}"#)
        #expect(response.status == 201)
        #expect(response.text == #"{"id":10,"name":"new"}"#)
        #expect(response.headers["Location"] == "/users/octocat/repos/10")
        #expect(asker.line("GET", "/users/octocat/repos/10") == #"200 {"id":10,"name":"new"}"#)
        #expect(
            asker.line("GET", "/users/octocat/repos?page=4&per_page=1") == #"200 [{"id":10,"name":"new"}]"#)
    }

    @Test func `POST adds to a folder, whose list has it last`() {
        var asker = FixtureAsker()
        #expect(asker.ask("POST", "/users", body: #"{"login":"a"}"#).headers["Location"] == "/users/3")
        #expect(asker.ask("POST", "/users", body: #"{"id":"b c"}"#).headers["Location"] == "/users/b%20c")
        #expect(asker.line("GET", "/users/b%20c") == #"200 {"id":"b c"}"#)
        #expect(asker.ask("GET", "/users").text.hasSuffix(#"{"id":3,"login":"a"},{"id":"b c"}]"#))
    }

    @Test(arguments: [
        ("/teams", #"{"id":"red"}"#, 409), ("/teams", "7", 422), ("/teams", #"{"id":null}"#, 422),
        ("/teams", #"{"id":"../x"}"#, 422), ("/teams", "", 400), ("/users/hubot", "{}", 405),
        ("/nope", "{}", 404),
        ("/logo.png", "{}", 405), ("/odd/broken", "{}", 500),
    ])
    func `POST refuses what it can't add`(target: String, body: String, status: Int) {
        var asker = FixtureAsker()
        #expect(asker.ask("POST", target, body: body).status == status)
    }

    @Test func `malformed JSON is refused with its offset, and nothing changes`() {
        var asker = FixtureAsker()
        for method in ["PUT", "PATCH"] {
            #expect(
                asker.line(method, "/users/hubot", body: #"{"id":2,}"#)
                    == #"400 {"message":"Problems parsing JSON","offset":8}"#)
        }
        #expect(asker.line("GET", "/users/hubot") == #"200 {"id":2,"login":"hubot"}"#)
    }

    @Test func `a body of endless nesting is refused, and the deepest that is not can be listed`() {
        var asker = FixtureAsker()
        #expect(asker.ask("PUT", "/deep", body: String(repeating: "[", count: 100_000)).status == 400)
        func nested(_ depth: Int) -> String {
            #"{"id":1,"a":"# + String(repeating: "[", count: depth - 1)
                + String(repeating: "]", count: depth - 1) + "}"
        }
        #expect(asker.ask("POST", "/teams", body: nested(257)).status == 400)
        #expect(asker.ask("POST", "/teams", body: nested(256)).status == 201)
        #expect(asker.line("GET", "/teams/1") == "200 " + nested(256))
        #expect(asker.line("GET", "/teams?page=2&per_page=1") == "200 [" + nested(256) + "]")
    }

    @Test func `PUT replaces a document or makes one`() {
        var asker = FixtureAsker()
        #expect(asker.line("PUT", "/users/hubot", body: #"{"a":1}"#) == #"200 {"a":1}"#)
        #expect(asker.line("GET", "/users/hubot") == #"200 {"a":1}"#)
        let made = asker.ask("PUT", "/things/one", body: "[1]")
        #expect(made.status == 201)
        #expect(made.headers["Location"] == "/things/one")
        #expect(asker.line("GET", "/things") == "200 [[1]]")
        #expect(asker.ask("GET", "/things").headers["Last-Modified"] == HTTPDate.text(unixSeconds: 2_000_000))
    }

    @Test func `an item of a list is changed in the list and keeps its id`() {
        var asker = FixtureAsker()
        #expect(
            asker.line("PUT", "/users/octocat/repos/8", body: #"{"id":99,"x":1}"#) == #"200 {"id":8,"x":1}"#)
        #expect(asker.line("PATCH", "/users/octocat/repos/7", body: #"{"name":null}"#) == #"200 {"id":7}"#)
        #expect(asker.line("DELETE", "/users/octocat/repos/9") == "204")
        #expect(asker.line("PUT", "/users/octocat/repos/20", body: #"{"y":2}"#) == #"201 {"id":20,"y":2}"#)
        #expect(asker.line("PUT", "/users/octocat/repos/020", body: "{}") == #"201 {"id":"020"}"#)
        #expect(asker.line("DELETE", "/users/octocat/repos/020") == "204")
        #expect(
            asker.line("GET", "/users/octocat/repos") == #"200 [{"id":7},{"id":8,"x":1},{"id":20,"y":2}]"#)
    }

    @Test func `PATCH merges`() {
        var asker = FixtureAsker()
        #expect(
            asker.line("PATCH", "/users/octocat", body: #"{"plan":{"seats":5},"login":null}"#)
                == #"200 {"id":1,"plan":{"name":"free","seats":5}}"#)
        #expect(asker.ask("PATCH", "/nope", body: "{}").status == 404)
        #expect(
            asker.ask("PATCH", "/users", body: "{}").headers["Allow"]
                == "GET, HEAD, OPTIONS, POST, PUT, DELETE")
    }

    @Test func `DELETE takes what is below along, and a later PUT does not bring it back`() {
        var asker = FixtureAsker()
        #expect(asker.line("DELETE", "/users/octocat") == "204")
        #expect(asker.ask("GET", "/users/octocat/repos").status == 404)
        #expect(asker.line("GET", "/users") == #"200 [{"id":2,"login":"hubot"}]"#)
        #expect(asker.ask("DELETE", "/users/octocat").status == 404)
        #expect(asker.ask("PUT", "/users/octocat", body: "{}").status == 201)
        #expect(asker.ask("GET", "/users/octocat/repos").status == 404)
        #expect(asker.line("DELETE", "/users") == "204")
        #expect(asker.ask("GET", "/users").status == 404)
        #expect(asker.ask("DELETE", "/").status == 405)
    }

    @Test func `other methods are answered with those that work`() {
        var asker = FixtureAsker()
        #expect(asker.ask("OPTIONS", "/logo.png").headers["Allow"] == "GET, HEAD, OPTIONS, DELETE")
        let refused = asker.ask("TRACE", "/users/hubot")
        #expect(refused.status == 405)
        #expect(refused.headers["Allow"] == "GET, HEAD, OPTIONS, PUT, PATCH, DELETE")
    }

    @Test func `a forced failure changes nothing`() {
        var asker = FixtureAsker()
        #expect(asker.ask("DELETE", "/users/hubot?status=500").status == 500)
        #expect(asker.ask("GET", "/users/hubot").status == 200)
    }
}
