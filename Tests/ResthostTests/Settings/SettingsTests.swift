import ArgumentParser
import Gateway
import Platform
import RestScript
import TestSupport
import Testing

@testable import resthost

struct SettingsTests {
    private func settings(_ text: String) throws(Diagnostic) -> SettingsFile {
        try SettingsFile(text, path: "dir/resthost.toml", folder: "dir")
    }

    @Test func `a file grants and limits`() throws {
        let file = try settings(
            """
            [permissions]
            read = ["data", "/etc/ssl"]
            write = []
            env = ["TOKEN"]
            net = ["api.example.com", "localhost:8080"]
            [limits]
            memory = "64M"
            content-memory = "1GiB"
            transformer = 0.2
            job = "1/60"
            load = 10
            """)
        #expect(file.read == ["dir/data", "/etc/ssl"] && file.write == [] && file.variables == ["TOKEN"])
        #expect(file.hosts?.map(\.description) == ["api.example.com", "localhost:8080"])
        #expect(file.memory == 64 << 20 && file.contentMemory == 1 << 30 && !file.allowsAll)
        #expect(file.limits == ["transformer=0.2", "job=1/60", "load=10"])
    }

    @Test func `a file says where the gateway listens, and its limits`() throws {
        let file = try settings(
            """
            [gateway]
            listen = ["127.0.0.1:1", "unix:/run/a"]
            threads = 2
            body = "1MiB"
            stream-body = "2G"
            connections = 10
            header-bytes = 2048
            target-bytes = 512
            header-timeout = 1.5
            idle-timeout = 20
            timeout = 3
            in-flight-per-client = 4
            streams-per-client = 5
            rate-per-client = "100/60/20"
            """)
        #expect(file.gateway.listen == ["127.0.0.1:1", "unix:/run/a"] && file.gateway.threads == 2)
        var limits = GatewayLimits()
        limits.maxBodyBytes = 7
        file.gateway.apply(to: &limits)
        #expect(limits.maxBodyBytes == 1 << 20 && limits.maxStreamedBodyBytes == 2 << 30)
        #expect(limits.maxConnections == 10)
        #expect(limits.maxHeaderBytes == 2048 && limits.maxTargetBytes == 512)
        #expect(limits.headerTimeout == 1.5 && limits.idleTimeout == 20 && limits.requestTimeout == 3)
        #expect(limits.requestsPerClient == 4 && limits.streamsPerClient == 5)
        #expect(limits.perClient == GatewayRate(requests: 100, per: 60, burst: 20))
    }

    @Test(arguments: [
        ("[permissions]\nraed = []", 2, "unknown name 'raed': did you mean 'read'?"),
        ("[operator]\ntoken-sha256 = \"12\"", 2, "'token-sha256' is 64 hexadecimal digits: printf"),
        ("[operator]\nlisten = \"\"", 2, "'listen' is an address such as"),
        ("[operator]\nlistn = \"\"", 2, "unknown name 'listn': did you mean 'listen'?"),
        ("[log]\naccess-format = \"xml\"", 2, "'access-format' is \"text\" or \"json\", got \"xml\""),
        ("[log]\naccess = \"\"", 2, "'access' is the path of a file"),
        ("[secrets]\nnot-secret = [\"\"]", 2, "a name in 'not-secret' is empty"),
        ("[secrets]\nname = []", 2, "unknown name 'name': did you mean 'names'?"),
        (
            "[secrets]\nnot-secret = [\"A\"]\nnames = [\"a\"]", 3,
            "'A' is in 'names' and in 'not-secret'"
        ),
        ("[log]\nacces = \"a\"", 2, "unknown name 'acces': did you mean 'access'?"),
        ("[gateway]\nlisen = 1", 2, "unknown name 'lisen': did you mean 'listen'?"),
        (
            "[gateway]\nlisten = 1", 2,
            "'listen' is an address such as \"127.0.0.1:8080\", or an array of them"
        ),
        ("[gateway]\nlisten = []", 2, "'listen' has no address in it"),
        ("[gateway]\nthreads = 0", 2, "'threads' is a whole number from 1 to 1024"),
        ("[gateway]\nthreads = \"2\"", 2, "'threads' is a whole number, not a string"),
        ("[gateway]\nconnections = 1.5", 2, "'connections' is a whole number, not 1.5"),
        ("[gateway]\nconnections = 0", 2, "'connections' is a whole number from 1 to 1000000"),
        ("[gateway]\nbody = true", 2, "'body' is a number of bytes or a text such as \"16MiB\""),
        ("[gateway]\nstream-body = \"x\"", 2, "'stream-body' is a number of bytes or a text such as"),
        ("[gateway]\nstream-body = -1", 2, "'stream-body' is a number of bytes or a text such as"),
        ("[gateway]\nrate-per-client = \"5/0\"", 2, "'rate-per-client' is a rate such as \"100/60\""),
        ("[gateway]\nrate-per-client = 5", 2, "'rate-per-client' is a rate such as \"100/60\""),
        ("[gateway]\nrate-per-client = \"1/2/3/4\"", 2, "'rate-per-client' is a rate such as"),
        ("[gateway]\nidle-timeout = \"x\"", 2, "'idle-timeout' is a number, not a string"),
        ("[gateway]\nidle-timeout = 0", 2, "'idle-timeout' is a number of seconds from 0.1 to 86400"),
        ("[traces]\ncolector = \"\"", 2, "unknown name 'colector': did you mean 'collector'?"),
        (
            "[traces]\ncollector = \"ftp://a\"", 2,
            "'collector': the collector of traces must be a URL such as"
        ),
        ("[traces]\ncollector = 1", 2, "'collector' is a string, not a number"),
        ("[permision]", 1, "unknown table 'permision': did you mean 'permissions'?"),
        ("read = []", 1, "unknown name 'read'"),
        ("[permissions]\nread = \"a\"", 2, "'read' is an array of strings, not a string"),
        ("[permissions]\nread = [1]", 2, "'read' is an array of strings; one item is a number"),
        ("[permissions]\nnet = [\"a b\"]", 2, "'a b' is not a host"),
        ("[permissions]\nall = 1", 2, "'all' is true or false"),
        ("[limits]\nmemory = \"x\"", 2, "'memory' is a size"),
        ("[limits]\ntransfomer = 1", 2, "unknown name 'transfomer': did you mean 'transformer'?"),
        ("[limits]\njob = -1", 2, "'-1' is not a time"),
        ("[limits]\njob = [1]", 2, "'job' is a number or a string, not an array"),
        ("[limits", 1, "']' is missing"),
    ])
    func `what is wrong is reported with its line`(text: String, line: Int, message: String) {
        do throws(Diagnostic) {
            _ = try settings(text)
            Issue.record("it was taken")
        } catch {
            #expect(error.message.hasPrefix(message), "\(error)")
            #expect(error.line == line && error.file == "dir/resthost.toml")
        }
    }

    @Test func `options of run are taken from a file, unless the command line has them`() throws {
        let file = try settings(
            """
            [run]
            drain = 1
            drain-delay = 2.5
            admin = "a.sock"
            quiet = true
            watch = false
            log = ["network"]
            log-format = "json"
            lua-path = ["lib"]
            transformer-threads = 3
            har = "a.har"
            """)
        var alone = try #require(try Resthost.parseAsRoot(["run", "main.lua"]) as? RunCommand)
        alone.add(file)
        #expect(alone.drain == 1 && alone.drainDelay == 2.5 && alone.admin == "dir/a.sock" && alone.quiet)
        #expect(alone.watch == false && alone.script.logSets == ["network"] && alone.har == "dir/a.har")
        #expect(alone.logText.format == .json)
        #expect(file.run.modulePaths == ["dir/lib"] && file.run.transformerThreads == 3)
        let words = ["run", "main.lua", "--drain", "7", "--watch", "--admin", "off", "--record", "b.har"]
        var both = try #require(try Resthost.parseAsRoot(words) as? RunCommand)
        both.add(file)
        #expect(both.drain == 7 && both.watch == true && both.admin == "off")
        #expect(both.har == nil && both.record == "b.har")
    }

    @Test func `the page of the reference has a file that can be read`() throws {
        let file = try settings(SettingsPage.example)
        #expect(file.memory == 512 << 20 && file.accessLog == "dir/access.log")
        for table in SettingsTable.all {
            #expect(SettingsPage.example.contains("[\(table.name)]"))
            for key in table.schema.descriptions {
                #expect(key.sentence.hasSuffix("."), "\(table.name).\(key.name)")
                let isFlag = key.type == "boolean"
                #expect(!isFlag || key.standard != nil, "\(table.name).\(key.name)")
            }
        }
    }

    private func standard(_ table: String, _ key: String) -> String? {
        SettingsTable.all.first { $0.name == table }?.schema.descriptions.first { $0.name == key }?.standard
    }

    @Test func `the defaults of the reference are those of the host`() throws {
        let limits = GatewayLimits()
        func number(_ key: String) -> Double? { standard("gateway", key).flatMap { Double($0) } }
        #expect(number("connections") == Double(limits.maxConnections))
        #expect(number("header-bytes") == Double(limits.maxHeaderBytes))
        #expect(number("target-bytes") == Double(limits.maxTargetBytes))
        #expect(number("header-timeout") == limits.headerTimeout)
        #expect(number("idle-timeout") == limits.idleTimeout)
        let body = try settings("[gateway]\nbody = \(standard("gateway", "body") ?? "")").gateway
        var told = GatewayLimits()
        told.maxBodyBytes = 0
        body.apply(to: &told)
        #expect(told.maxBodyBytes == limits.maxBodyBytes)
        let memory = try settings("[limits]\nmemory = \(standard("limits", "memory") ?? "")").memory
        #expect(memory == ScriptOptions().memoryLimit)
        #expect(standard("run", "drain").flatMap(Double.init) == RunEnd.Times.usualDrain)
        let declared = GatewayOverrides.fields.map(\.description)
        #expect(declared.allSatisfy { $0.counterpart != nil })
    }

    @Test func `the options that the reference names are those of the command line`() async {
        let help = await BuiltProgram.run("run", "--help").output
        for key in SettingsTable.all.flatMap({ $0.schema.descriptions }) {
            for option in (key.counterpart ?? "").matches(of: /`(--[a-z-]+)/) {
                #expect(help.contains("\(option.1) "), "\(key.name)")
            }
        }
    }

    @Test(
        arguments: [
            ("1048576", 1 << 20), ("512K", nil), ("2048K", 2 << 20), ("64M", 64 << 20), ("1g", 1 << 30),
            ("", nil), ("M", nil),
            ("-1M", nil), ("1.5M", nil), ("99999999999G", nil), ("1T", nil), ("16MiB", 16 << 20),
            ("2 GiB", 2 << 30),
            ("5mb", 5_000_000), ("1MB", nil),
        ] as [(String, Int?)])
    func `sizes`(text: String, bytes: Int?) {
        #expect(ByteCount.memory(text) == bytes)
    }

    @Test func `the program reads the file beside the script, and the command line wins`() async throws {
        let folder = ScriptFolder(
            """
            print(rest.env.RESTHOST_A, os.getenv "RESTHOST_B")
            print(rest.read_file "data.txt")
            print(pcall(rest.read_file, "main.lua"))
            """)
        folder.write("x", to: "data.txt")
        folder.write(
            "[permissions]\nread = [\"data.txt\"]\nenv = [\"RESTHOST_A\"]\n[limits]\nload = 1\n",
            to: "resthost.toml")
        let environment = ["RESTHOST_A": "1", "RESTHOST_B": "2"]
        func run(_ arguments: String...) async -> String {
            let run = await ChildProcess(
                [BuiltProgram.path, "run", "main.lua"] + arguments, in: folder.path, environment: environment
            )
            .end()
            return run.output + run.errors
        }
        let plain = await run()
        #expect(plain.contains("1\tnil\n"), "\(plain)")
        #expect(plain.contains("x\n"))
        #expect(plain.contains("reading 'main.lua' is not allowed: grant it with --allow-read main.lua"))
        let other = await run("--allow-read", "main.lua", "--allow-env", "RESTHOST_A,RESTHOST_B")
        #expect(other.contains("1\t2\n"), "\(other)")
        #expect(other.contains("reading 'data.txt' is not allowed: grant it with --allow-read data.txt"))
        let all = await run("--allow-all")
        #expect(
            all.contains("1\t2\n") && all.contains("x\n") && all.contains("true\t"),
            "\(all)")
        let broken = ScriptFolder("")
        broken.write("[permissions]\nraed = []\n", to: "resthost.toml")
        let wrong = await broken.run("run", "main.lua").errors
        #expect(
            wrong.contains("resthost.toml:2: error: unknown name 'raed': did you mean 'read'?"), "\(wrong)")
        #expect(wrong.contains("hint: there are: read, write, env, net, all"))
    }

    @Test func `limits of the command line hold`() async {
        let folder = ScriptFolder("while true do end")
        let time = await folder.run("run", "main.lua", "--limit", "load=0.1")
        #expect(time.code == 2)
        #expect(time.errors.contains(/main\.lua:2: error: script load used \d{3} ms/), "\(time.errors)")
        #expect(
            time.errors.contains(
                "its limit is 100 ms: look for a loop that doesn't end, or allow more with --limit load=0.2"))
        let memory = await ScriptFolder("local s = ('x'):rep(1 << 23)").run(
            "check", "main.lua", "--memory", "4M")
        #expect(memory.errors.contains("asked for 8 MiB more and may hold 4 MiB"), "\(memory.errors)")
        let wrong = await folder.run("run", "main.lua", "--limit", "lod=1")
        #expect(
            wrong.errors.contains("--limit lod=1: there is no phase 'lod': there are load, block"),
            "\(wrong.errors)")
        let size = await folder.run("run", "main.lua", "--memory", "5")
        #expect(
            size.errors.contains("--memory 5: write a size of 1M or more, such as 512M or 1G"),
            "\(size.errors)")
        let host = await folder.run("run", "main.lua", "--allow-net", "a/b")
        #expect(
            host.errors.contains("--allow-net 'a/b' is not a host: write api.example.com"), "\(host.errors)")
    }

    @Test func `a host that is not granted fails its request`() async {
        let folder = ScriptFolder.service(
            at: "http://127.0.0.1:1",
            "rest.spawn(function() print(api:resource_at(\"http://localhost:2/x\"):get()) end)")
        let run = await folder.run("run", "main.lua")
        #expect(
            run.output.contains(
                "requests to http://localhost:2/x are not allowed: no service of the script has this host; "
                    + "grant it with --allow-net localhost:2"), "\(run.output)")
    }
}
