import LuaRuntime
import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct CoverageTests {
    private let main = """
        local rest = require "resthost"
        local names = require "lib.names"
        local api = rest.service { name = names.api, base_url = "https://api.test/v1" }
        api:configure(function(c)
          if names.slow then
            c.expiration_time = 500
          end
        end)
        api:configure_transformer("**", function(content)
          return content .. "!"
        end)
        """

    private func hits(_ test: String, coversLines: Bool = true) async throws -> [String: [Int: Int]] {
        let fixture = TestFileFixture(coversLines: coversLines)
        fixture.folder.write("main.lua", main)
        fixture.folder.write(
            "lib/names.lua", "local function never()\n  return 1\nend\nreturn { api = 'api' }")
        fixture.folder.write("helper.lua", "local x = 1\nreturn x")
        try fixture.load(test)
        await fixture.run()
        #expect(fixture.lines.allSatisfy { $0.hasPrefix("ok") }, "\(fixture.lines)")
        let hits = fixture.file.lineHits
        fixture.close()
        #expect(fixture.file.lineHits.isEmpty)
        return Dictionary(uniqueKeysWithValues: hits.map { (fixture.plain($0.path), $0.counts) })
    }

    @Test func `lines of scripts and their modules count, in all tests together`() async throws {
        let hits = try await hits(
            """
            require "helper"
            for i = 1, 2 do
              t.test("it", function()
                local host = t.load "main.lua"
                host:stub("GET", "/a", { text = "a" })
                t.equal(host.services.api:resource("a"):get(), "a!")
              end)
            end
            t.test("source", function() t.load { source = "local x = 1\\nrequire 'lib.names'" } end)
            """)
        #expect(Set(hits.keys) == ["main.lua", "lib/names.lua"])
        #expect(hits["main.lua"]?.filter { $0.value == 0 }.keys.sorted() == [6])
        #expect(hits["main.lua"]?[10] == 2 && hits["main.lua"]?[1] == 2 && hits["main.lua"]?[5] == 2)
        #expect(hits["lib/names.lua"] == [2: 0, 3: 3, 4: 3])
    }

    @Test func `nothing counts unless it was asked for`() async throws {
        #expect(try await hits("t.test('it', function() t.load 'main.lua' end)", coversLines: false).isEmpty)
    }
}
