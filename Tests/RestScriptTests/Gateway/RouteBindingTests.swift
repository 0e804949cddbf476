import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// The methods of routes, and what their functions see of a request.
@Suite(.leakChecked) @EngineActor
struct RouteBindingTests {
    @Test func `a route has one method, several, or all`() throws {
        let fixture = ScriptFixture()
        try fixture.load(
            """
            rest.gateway {}:route({ "get", "POST", "GET" }, "/a", print):route("*", "/b/**", print)
            """)
        let routes = try #require(fixture.host?.gateway?.routes)
        #expect(routes.map(\.method) == ["GET", "POST", "GET", "POST", "PUT", "PATCH", "DELETE"])
        #expect(routes.map(\.isForAllMethods) == [false, false, true, true, true, true, true])
        fixture.close()
    }

    @Test func `a route's function reads queries, forms and cookies`() throws {
        let fixture = ScriptFixture()
        try fixture.load(
            """
            rest.gateway {}:route("POST", "/a", function(request)
              local query, form = request.query, request.form
              local names = {}
              for name, value in pairs(query) do names[#names + 1] = name .. "=" .. value end
              table.sort(names)
              return {
                page = query.page, all = query:all("tag"), last = query.tag, own = query:get("all"), none = query.none,
                names = names, form = form and form.text, session = request.cookies.session, x = request.cookies.x,
              }
            end)
            """)
        let route = try #require(fixture.host?.gateway?.routes.first)
        func ask(_ type: String) -> Tree? {
            var answer: Tree?
            let request = ServedRequest(
                method: "POST", path: "/a",
                query: ServedRequest.pairs(ofQuery: "page=2&tag=a&tag=b%20c&all=1&flag"),
                headers: Headers([
                    ("Content-Type", type), ("Cookie", "session=s%201; x = y;bad"), ("Cookie", "x=z"),
                ]), body: .held(Array("text=a+b%2Bc&n=1".utf8)))
            route.handler.answer(request) { answer = try? $0.entity.get().content.tree }
            fixture.settle()
            return answer
        }
        let expected: Tree = [
            "all": ["a", "b c"], "last": "b c", "names": ["all=1", "flag=", "page=2", "tag=b c"], "own": "1",
            "page": "2", "session": "s%201", "x": "y",
        ]
        let form = try #require(ask("application/x-www-form-urlencoded; charset=utf-8"))
        #expect(form["form"] == "a b+c")
        #expect(ask("text/plain") == expected)
        var failure: RequestError?
        let long = ServedRequest(
            method: "POST", path: "/a",
            headers: Headers([("Content-Type", "application/x-www-form-urlencoded")]),
            body: .held(Array(repeating: UInt8(ascii: "&"), count: 10_000)))
        route.handler.answer(long) { if case .failure(let error) = $0 { failure = error } }
        fixture.settle()
        #expect(failure.map { "\($0)" }?.contains("10000 fields at most, and this body 10001") == true)
        fixture.close()
    }

    @Test func `an answer can be a file, with its type and a time for caches`() throws {
        let folder = TemporaryFolder()
        folder.write("page.html", "<p>hello</p>")
        let fixture = ScriptFixture()
        try fixture.load(
            """
            rest.gateway {}:route("GET", "/", function(request)
              if request.query.name then return rest.response { file = request.query.name } end
              return rest.response { file = "page.html", cache_control = "max-age=60" }
            end)
            """, path: folder.path + "/main.lua")
        let route = try #require(fixture.host?.gateway?.routes.first)
        func ask(_ name: String?) -> Result<Entity, RequestError>? {
            var answer: Result<Entity, RequestError>?
            let query = name.map { [(name: "name", value: $0)] } ?? []
            route.handler.answer(ServedRequest(method: "GET", path: "/", query: query)) { answer = $0.entity }
            fixture.settle()
            return answer
        }
        let page = try #require(try ask(nil)?.get())
        #expect(page.contentType == "text/html; charset=utf-8")
        #expect(page.headers["Cache-Control"] == "max-age=60")
        for (name, reason) in [("none.txt", "No such file"), ("../main.lua", "not allowed")] {
            guard case .failure(let error)? = ask(name) else {
                Issue.record("no failure")
                continue
            }
            #expect("\(error)".contains(reason), "\(error)")
        }
        fixture.close()
    }
}
