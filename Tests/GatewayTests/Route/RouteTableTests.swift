import RestEngine
import TestSupport
import Testing

@testable import Gateway

@Suite struct RouteTableTests {
    private func route(_ template: String) -> GatewayRoute {
        GatewayRoute(method: "GET", template: template, expirationSeconds: nil) { _, _ in }
    }

    private func template(_ table: RouteTable, _ target: String) -> String? {
        if case .route(let entry, _) = table.match("GET", Array(target.utf8)) { return entry.route.template }
        return nil
    }

    @Test func `54.3 a text goes before a name, wherever it stands`() throws {
        let table = try RouteTable(
            ["/{x}/b", "/a/{y}", "/a/b", "/{x*}", "/a/{y*}", "/"].map(route))
        for (target, expected) in [
            ("/a/b", "/a/b"), ("/a/c", "/a/{y}"), ("/c/b", "/{x}/b"), ("/c/d", "/{x*}"),
            ("/a/c/d", "/a/{y*}"),
            ("/", "/"), ("/a%2fb", "/{x*}"),
        ] {
            #expect(template(table, target) == expected, "\(target)")
        }
    }

    @Test func `54.3 two stars without a name go last`() throws {
        let table = try RouteTable(["/**", "/a/**", "/a/{y*}", "/{x}/b"].map(route))
        for (target, expected) in [
            ("/a/b", "/a/{y*}"), ("/a/", "/a/{y*}"), ("/c/b", "/{x}/b"), ("/c/d/e", "/**"), ("/", "/**"),
        ] {
            #expect(template(table, target) == expected, "\(target)")
        }
    }

    @Test(arguments: [false, true])
    func `a route of a method goes before one of all methods`(isLast: Bool) throws {
        func route(_ method: String, forAll: Bool) -> GatewayRoute {
            GatewayRoute(
                method: method, isForAllMethods: forAll, template: forAll ? "/{all}" : "/{own}",
                expirationSeconds: nil
            ) { _, _ in }
        }
        let own = [route("GET", forAll: false)]
        let all = ["GET", "POST"].map { route($0, forAll: true) }
        let table = try RouteTable(isLast ? all + own : own + all)
        func template(_ method: String) -> String? {
            if case .route(let entry, _) = table.match(method, Array("/a".utf8)) {
                entry.route.template
            } else {
                nil
            }
        }
        #expect(template("GET") == "/{own}" && template("HEAD") == "/{own}" && template("POST") == "/{all}")
        guard case .otherMethods(let methods) = table.match("DELETE", Array("/a".utf8)) else {
            Issue.record("no other methods")
            return
        }
        #expect(methods.sorted() == ["GET", "HEAD", "POST"])
    }

    @Test func `four times as many routes take about four times as long`() throws {
        let ratio = try growth(from: 500, by: 4) { count in
            let table = try RouteTable((0..<count).map { route("/r\($0)/{a}/{b}") })
            for number in 0..<count {
                #expect(template(table, "/r\(number)/a/b") != nil)
            }
        }
        #expect(ratio < 9, "\(ratio)")
    }

    @Test func `two routes of one shape are refused with both`() {
        #expect(throws: GatewayError.self) {
            try RouteTable([route("/a/{x}"), route("/b"), route("/a/{y}")])
        }
    }
}
