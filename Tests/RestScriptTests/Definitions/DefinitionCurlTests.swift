import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct DefinitionCurlTests {
    @Test(arguments: [
        (#"api:define("GET", "x")"#, "curl 'https://api.test/v1/x'"),
        (#"api:define("HEAD", "x")"#, "curl --head 'https://api.test/v1/x'"),
        (#"api:define("DELETE", "x")"#, "curl -X DELETE 'https://api.test/v1/x'"),
        (
            #"api:define("GET", "x", { headers = { Authorization = "Bearer abcdefgh", ["X-Id"] = "it's" } })"#,
            #"curl 'https://api.test/v1/x' -H 'Authorization: Bearer ***' -H 'X-Id: it'\''s'"#
        ),
        (
            #"api:define("GET", "x", { query = { { "token", "abcdefgh" }, { "q", "$`\"" } } })"#,
            "curl 'https://api.test/v1/x?token=***&q=$%60%22'"
        ),
        (
            #"api:define("PUT", "x", { json = { a = "it's $HOME `x` \\ \n" } })"#,
            #"curl -X PUT 'https://api.test/v1/x' -H 'Content-Type: application/json' --data-raw '{"a":"it'\''s $HOME `x` \\ \n"}'"#
        ),
        (
            #"api:define("PUT", "x", { json = { password = "abcdefgh", list = { { api_key = 5 } }, a = 1 } })"#,
            #"curl -X PUT 'https://api.test/v1/x' -H 'Content-Type: application/json' --data-raw '{"a":1,"list":[{"api_key":0}],"password":"***"}'"#
        ),
        (
            #"api:define("POST", "x", { form = { password = "p w", a = "b" } })"#,
            "curl -X POST 'https://api.test/v1/x' -H 'Content-Type: application/x-www-form-urlencoded' --data-raw 'a=b&password=***'"
        ),
        (
            #"api:define("POST", "x", { body = "a\0\xff'%\\\n" })"#,
            #"printf 'a\000\377\047%%\134\012' | curl -X POST 'https://api.test/v1/x' -H 'Content-Type: application/octet-stream' --data-binary @-"#
        ),
        (
            #"api:define("GET", "x", { headers = { Accept = rest.null, X = "" } })"#,
            "curl 'https://api.test/v1/x' -H 'X;' -H 'accept:'"
        ),
        (
            #"api:define("POST", "x", { multipart = { { name = "a", value = "x;\"y" } } })"#,
            #"curl -X POST 'https://api.test/v1/x' --form 'a="x;\"y"'"#
        ),
    ]) func `command lines`(definition: String, command: String) throws {
        try expect("print(\(definition):curl())", prints: [command])
    }

    @Test func `a line goes where the request goes, by what the transport of the service says`() throws {
        let fixture = ScriptFixture()
        fixture.options.makeTransport = { NullTransport(options: $0) }
        fixture.options.capabilities = .all
        try fixture.load(
            """
            local count = 0
            local function line(transport)
              count = count + 1
              local api = rest.service { name = "s" .. count, base_url = "https://other.test", transport = transport }
              print(api:define("GET", "x"):curl())
            end
            line { unix_socket = "/run/a b.sock", user_agent = "mine/1" }
            line { proxy = "http://me:hunter2@proxy.test:3128", no_proxy = "a.test" }
            line { resolve = { ["other.test:443"] = "127.0.0.1" }, ca_file = "/ca.pem", ip = "v4" }
            line { client_certificate = "/c.pem", client_key = "/k.pem", min_tls = "1.3", http2 = false }
            """)
        let url = "curl 'https://other.test/x'"
        #expect(
            fixture.lines == [
                "\(url) --unix-socket '/run/a b.sock' -A 'mine/1'",
                "\(url) --proxy 'http://***@proxy.test:3128' --noproxy 'a.test'",
                "\(url) --resolve 'other.test:443:127.0.0.1' -4 --cacert '/ca.pem'",
                "\(url) --cert '/c.pem' --key '/k.pem' --tlsv1.3 --http1.1",
            ])
        fixture.close()
    }

    @Test func `user and password of rest.auth.basic are there`() throws {
        try expect(
            """
            api:configure("**", function(c) c:decorate_requests(rest.auth.basic("me", "hunter2")) end)
            print(api:define("GET", "x"):curl())
            print(api:define("GET", "x"):curl { with_secrets = true })
            print(api:define("GET", "x", { headers = { Authorization = "Own abcdef" } }):curl { with_secrets = true })
            """,
            prints: [
                "curl 'https://api.test/v1/x' -H 'Authorization: Basic ***'",
                "curl 'https://api.test/v1/x' -H 'Authorization: Basic bWU6aHVudGVyMg=='",
                "curl 'https://api.test/v1/x' -H 'Authorization: Own abcdef'",
            ])
    }

    @Test func `headers of blocks are there, and secrets where they are asked for`() throws {
        try expect(
            """
            api:configure("**", function(c)
              c.headers["X-Block"] = "1"
              c:mutate_requests(function(draft) draft.headers.Cookie = "id=abcdefgh" end)
            end)
            local d = api:define("GET", "x", { configure = function(c) c.headers["X-Own"] = "2" end })
            print(d:curl())
            print(d:curl { with_secrets = true })
            """,
            prints: [
                "curl 'https://api.test/v1/x' -H 'X-Block: 1' -H 'X-Own: 2' -H 'Cookie: ***'",
                "curl 'https://api.test/v1/x' -H 'X-Block: 1' -H 'X-Own: 2' -H 'Cookie: id=abcdefgh'",
            ])
    }

    @Test func `a request that can't be sent has no command line`() throws {
        try expect(
            """
            local command, err = api:define("POST", "x", { json = "atom" }):curl()
            print(command, err.cause.type)
            """, prints: ["nil\tinvalid_json_object"])
    }
}
