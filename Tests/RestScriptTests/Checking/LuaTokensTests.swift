import TestSupport
import Testing

@testable import RestScript

struct LuaTokensTests {
    private func required(_ source: String) -> [String] {
        RequiredModules(Array(source.utf8)).found.map { "\($0.line) \($0.name)" }
    }

    @Test func `calls of require are found, with their lines`() {
        #expect(required(#"local a = require "one""#) == ["1 one"])
        #expect(
            required("local a =\n require('two')\nlocal b = require [[three]].x") == ["2 two", "3 three"])
        #expect(required("#!/usr/bin/env resthost\nrequire 'a.b'") == ["2 a.b"])
        #expect(required("return require(\n'a')") == ["2 a"])
    }

    @Test func `what only looks like one is not`() {
        #expect(required(#"-- require "a""#) == [])
        #expect(required("--[[ require 'a'\n ]] --[==[ ]] require 'b' ]==] x = 'require \"c\"'") == [])
        #expect(
            required(#"pcall(require, "a") t.require "b" t:require "c" require(name) require"d\65""#) == [])
        #expect(required(#"require("a." .. name) require("b" .. c) require "d" .. e"#) == ["1 d"])
        #expect(required(#"required "a" local s = "require 'b'" "#) == [])
    }

    @Test func `any text comes to an end`() {
        var random = SeededRandom(seed: 5)
        let pieces = [
            "require", "'", "\"", "[[", "]]", "[=[", "]=]", "--", "\n", "\\", " ", "(", "x", "é", "[", "=",
            "#",
        ]
        for _ in 0..<3000 {
            let text = (0..<Int.random(in: 0...14, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }.joined()
            let tokens = Array(LuaTokens(Array(text.utf8)))
            #expect(tokens.count <= text.utf8.count)
            #expect(tokens.map(\.line) == tokens.map(\.line).sorted())
            let ends = tokens.flatMap { [$0.range.lowerBound, $0.range.upperBound] }
            #expect(ends == ends.sorted() && ends.allSatisfy { 0...text.utf8.count ~= $0 })
            let shown = SourceSecrets.masked(Array(text.utf8))
            #expect(shown.count { $0 == 0x0A } == text.utf8.count { $0 == 0x0A })
        }
    }
}
