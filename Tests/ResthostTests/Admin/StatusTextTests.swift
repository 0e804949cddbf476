import Platform
import RestScript
import Testing

@testable import RestEngine
@testable import resthost

struct StatusTextTests {
    private var facts: HostFacts {
        var facts = HostFacts(
            process: 42, uptime: 7384, script: "main.lua", folder: "/srv", generationAge: 65)
        facts.generation = 3
        facts.trigger = .files(["main.lua", "b.lua"])
        facts.services = [
            .init(name: "github", baseURL: "https://api.github.com/", resources: 14),
            .init(name: "any", baseURL: nil, resources: 0),
        ]
        facts.openRequests = 2
        facts.jobs = 1
        facts.luaMemory = 1_258_291
        facts.contentMemory = 30 << 20
        facts.bodyMemory = 2 << 20
        facts.contentLimit = 512 << 20
        facts.machine = MachineMemory(bytes: 2 << 30, source: .controlGroup)
        facts.processors = MachineProcessors(count: 2, limit: .affinity)
        facts.transformerThreads = 2
        facts.gatewayThreads = 1
        facts.listening = ["127.0.0.1:8080", "127.0.0.1:8443", "unix:/run/x.sock"]
        facts.secured = ["127.0.0.1:8443"]
        facts.connections = 12
        facts.admin = "/run/user/1/resthost/42.sock"
        return facts
    }

    private func text(_ facts: HostFacts) -> String { StatusText(style: .plain).text(facts.tree) }

    @Test func `a host that is well`() {
        #expect(
            text(facts) == """
                resthost \(Version.text), process 42, up 2h 3m
                  script       main.lua in /srv
                  generation   3, loaded 1m 5s ago (main.lua and 1 more changed)
                  gateway      http://127.0.0.1:8080, https://127.0.0.1:8443, unix:/run/x.sock
                  admin        /run/user/1/resthost/42.sock
                  connections  12
                  requests     2 in flight
                  jobs         1
                  memory       1.2 MiB in Lua; 30 MiB of content and 2 MiB on their way, of 512 MiB at most; the control group has 2 GiB
                  threads      1 for the engine, 1 for the gateway, up to 2 for modules; the affinity mask has 2 processors
                  services
                    github  https://api.github.com/  14 resources
                    any     absolute URLs only       0 resources

                """)
    }

    @Test func `D42 resources that went to make room are counted, and for programs by reason`() {
        var facts = facts
        #expect(!text(facts).contains("to make room"))
        facts.services[0].evictions = [("count", 1), ("bytes", 2), ("no_data", 30)]
        #expect(text(facts).contains("14 resources, 33 dropped to make room\n"))
        let evicted = facts.tree["services"]?[0]?["evicted"]
        #expect(evicted?["bytes"]?.int == 2 && evicted?["no_data"]?.int == 30)
    }

    @Test func `a thread for transfers is reported once there is one`() {
        var facts = facts
        facts.transferThreads = 1
        #expect(text(facts).contains("1 for the gateway, 1 for transfers, up to 2 for modules"))
    }

    @Test func `limits in use and breakers that are not closed`() {
        var facts = facts
        facts.attempts.limits = [
            .init(name: "github", inFlight: 4, mostInFlight: 4, waiting: 12, rate: nil, pausedSeconds: 0),
            .init(
                name: "https://u:s3cret@a.test", inFlight: 0, mostInFlight: nil, waiting: 1, rate: 2.5,
                pausedSeconds: 30),
        ]
        facts.attempts.breakers = [
            .init(origin: "https://a.test", openSeconds: 12, isProbed: false),
            .init(origin: "https://b.test", openSeconds: 0, isProbed: true),
            .init(origin: "https://c.test", openSeconds: 0, isProbed: false),
        ]
        let shown = text(facts)
        #expect(
            shown.hasSuffix(
                """
                  limits
                    github              4 of 4 in flight, 12 waiting
                    https://***@a.test  0 in flight, 1 waiting, 2.5 a second, paused for 30s
                  breakers
                    https://a.test  open for 12s
                    https://b.test  half open, one request is on its way
                    https://c.test  half open

                """), "\(shown)")
        let breaker = facts.tree["breakers"]?[0]
        #expect(breaker?["state"]?.string == "open" && breaker?["open"]?.double == 12)
        #expect(facts.tree["limits"]?[1]?["paused"]?.double == 30)
    }

    @Test func `a failed reload is shown with the lines as they were`() {
        var facts = facts
        facts.services = []
        facts.contentLimit = 0
        facts.machine = nil
        facts.failedJobs = 2
        facts.retiring = 1
        facts.warnings = ["a state was replaced"]
        let lines: [Substring] = ["one", "  local x = = 3", "three"]
        facts.failure = .init(
            report: FailureReport(
                Diagnostic(
                    .error, "unexpected symbol near '='", file: "gone.lua", line: 2, hint: "one '=' is enough"
                ),
                lines: { _ in lines }), trigger: .signal, age: 4)
        #expect(
            text(facts).hasSuffix(
                """
                  jobs         1, 2 failed
                  memory       1.2 MiB in Lua
                  threads      1 for the engine, 1 for the gateway, up to 2 for modules; the affinity mask has 2 processors
                warning: a state was replaced
                the last reload failed 4s ago (at SIGHUP); generation 3 goes on
                gone.lua:2: error: unexpected symbol near '='
                  1 | one
                  2 |   local x = = 3
                    |   ^
                  hint: one '=' is enough

                """))
        #expect(text(facts).contains("(main.lua and 1 more changed); 1 earlier finishing"))
    }

    @Test func `what a host of another version leaves out is left out`() {
        #expect(StatusText(style: .plain).text([:]) == "resthost ?, process ?, up 0s\n")
        let odd: Tree = [
            "services": 1, "generation": "x", "gateway": ["listening": [1]], "uptime": "long",
            "last_failure": [
                "message": "bad", "file": "f", "line": 9_000_000_000,
                "excerpt": [["line": 9_000_000_000, "text": "x"]],
            ],
        ]
        #expect(StatusText(style: .plain).text(odd).contains("f:9000000000: error: bad\n"))
    }

    @Test func `times and sizes`() {
        let times: [(Double, String)] = [
            (-1, "0s"), (0.9, "0s"), (59.9, "59s"), (60, "1m"), (61, "1m 1s"), (3600, "1h"),
            (86_400 * 12 + 3600, "12d 1h"), (.infinity, "0s"), (.nan, "0s"),
        ]
        for (seconds, text) in times { #expect(TimeSpan.text(seconds) == text) }
        let sizes: [(Int, String)] = [
            (-1, "0 bytes"), (1023, "1023 bytes"), (1024, "1 KiB"), (1536, "1.5 KiB"), (1 << 20, "1 MiB"),
            ((1 << 20) * 5 / 2, "2.5 MiB"), (1 << 30, "1 GiB"), (.max, "8388608 TiB"),
        ]
        for (bytes, text) in sizes { #expect(ByteCount.text(bytes) == text) }
    }

    @Test func `hosts in a list have a folder where their scripts have the same name`() {
        func host(_ number: String, _ script: String, _ address: String? = nil) -> RunningHost {
            let listening = Tree(address.map { [Tree($0)] } ?? [])
            return RunningHost(
                number: number,
                status: [
                    "script": Tree(script), "folder": Tree("/srv/" + number), "uptime": 61,
                    "gateway": ["listening": listening] as Tree,
                ])
        }
        let rows = RunningHost.rows([
            host("1", "main.lua", "http://127.0.0.1:8080"), host("2", "main.lua"), host("3", "other.lua"),
            host("4", "/opt/main.lua"), RunningHost(number: "5", status: nil),
        ])
        #expect(
            TextColumns.text(rows) == """
                  --pid 1  main.lua in /srv/1    up 1m 1s  http://127.0.0.1:8080
                  --pid 2  main.lua in /srv/2    up 1m 1s
                  --pid 3  other.lua             up 1m 1s
                  --pid 4  /opt/main.lua         up 1m 1s
                  --pid 5  (it does not answer)  up ?

                """)
    }
}
