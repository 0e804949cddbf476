import ArgumentParser
import Testing

@testable import resthost

struct PlainLineTests {
    /// ArgumentParser's values of a command line; nil for an error, help or another command.
    private func parsed(_ words: [String]) -> GetValues? {
        (try? Resthost.parseAsRoot(words) as? GetCommand)?.values
    }

    @Test(arguments: [
        "get main.lua /a",
        "get main.lua api /a",
        "get main.lua api https://example.com/?a=b",
        "get main.lua /a --json --raw --include --timing --offline",
        "get --json main.lua --raw /a --include",
        "get main.lua /a -X PUT -d {} -H A:b -H C:d",
        "get -H A:b main.lua -H C:d api -X delete /a",
        "get main.lua /a --har out.har",
        "get main.lua /a --har=out=2.har",
        "get main.lua /a --curl --with-secrets",
        "get main.lua /a --log common --log network,cache --log=all",
        "get main.lua /a --lua-path a --lua-path=b --allow-read c --allow-write d --allow-write e",
        "get main.lua /a --allow-env A,B --allow-net a.example,b.example:80 --allow-net *.c.example --allow-all",
        "get main.lua /a --limit load=1 --limit=job=0.5/60 --transformer-threads 4",
        "get main.lua /a --memory 64M --content-memory=1G",
        "get main.lua api /ä -d ü=1 -H X-ö:é",
        "get main.lua get get",
    ])
    func `a plain line means to both what it says`(line: String) throws {
        let words = line.split(separator: " ").map(String.init)
        let plain = try #require(GetValues(plain: words))
        #expect(plain == parsed(words))
    }

    @Test(arguments: [
        "", "get", "get main.lua", "get main.lua a b c", "get --help", "get -h main.lua /a", "help get",
        "get main.lua /a --help", "get main.lua /a --version", "get --generate-completion-script bash",
        "run main.lua", "explain main.lua /a", "gett main.lua /a",
        "get main.lua /a --jso", "get main.lua /a --JSON", "get main.lua /a -json", "get main.lua /a --X PUT",
        "get main.lua /a --json=true", "get main.lua /a --har",
        "get main.lua /a --har=",
        "get main.lua /a --har --json", "get main.lua /a -X", "get main.lua /a -XPUT",
        "get main.lua /a -H", "get main.lua /a -H nothing", "get main.lua /a -X G\u{E9}T",
        "get main.lua /a -X @",
        "get main.lua /a --with-secrets", "get main.lua /a --curl --har a", "get main.lua /a --log nothing",
        "get main.lua /a --memory much", "get main.lua /a --content-memory 1", "get main.lua /a --limit a=b",
        "get main.lua /a --transformer-threads many", "get main.lua /a --transformer-threads 0",
        "get main.lua /a --allow-net http://a", "get main.lua /a --lua-path", "get -", "get --",
    ])
    func `other lines go to ArgumentParser, with their errors`(line: String) {
        let words = line.split(separator: " ").map(String.init)
        #expect(GetValues(plain: words) == nil)
        #expect(parsed(words) == nil)
    }

    @Test(arguments: [
        "get main.lua -- /a", "get main.lua /a -d -1", "get main.lua /a -H -A:b",
        "get main.lua /a --json --json",
        "get main.lua /a --har a --har b", "get main.lua /a -X PUT -X POST", "get main.lua /a --curl=",
        "get main.lua /a -X=PUT", "get - - -",
    ])
    func `ambiguous words go to ArgumentParser`(line: String) {
        let words = line.split(separator: " ").map(String.init)
        #expect(GetValues(plain: words) == nil)
    }

    @Test func `empty words are no plain words`() {
        for words in [["get", "main.lua", ""], ["get", "", "/a"], ["get", "main.lua", "/a", "-d", ""]] {
            #expect(GetValues(plain: words) == nil)
        }
    }

    /// Words in all orders. A plain line is read as ArgumentParser reads it, or not at all.
    @Test func `random lines mean the same to both`() {
        let pieces = [
            "main.lua", "api", "/a", "--json", "--raw", "-X", "PUT", "-d", "x=1", "-H", "A:b", "--har",
            "--har=c", "--curl",
            "--log", "all", "--limit", "load=1", "--memory=64M", "--", "-", "--nothing", "--allow-net",
            "a.example",
            "--transformer-threads", "3", "--offline", "-Xa", "é", "--with-secrets", "--json=1",
        ]
        var seed: UInt64 = 7
        func next(_ count: Int) -> Int {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((seed >> 33) % UInt64(count))
        }
        var plain = 0
        for _ in 0..<200 {
            let words = ["get", "main.lua"] + (0...next(6)).map { _ in pieces[next(pieces.count)] }
            guard let values = GetValues(plain: words) else { continue }
            plain += 1
            #expect(values == parsed(words), "\(words)")
        }
        #expect(plain > 10)
    }

    @Test func `the table of get has all of its options, each once`() throws {
        let names = GetValues.options.map { $0.isShort ? "-\($0.name)" : "--\($0.name)" }
        #expect(Set(names).count == names.count)
        let help = Resthost.helpMessage(for: GetCommand.self, columns: 400)
        let notified = help.split(separator: "\n").map { $0.drop { $0 == " " } }
            .filter { $0.hasPrefix("-") }.map { String($0.prefix { $0 != " " && $0 != "," }) }
        #expect(Set(notified) == Set(names).union(["--version", "-h"]))
    }
}
