import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// Loads of a script with a custom cache. One list has the script's output and the events that observers
/// would get.
@Suite(.leakChecked) @EngineActor
struct CacheLoadTests {
    private func run(_ source: String, kept: String, _ stage: String = "cleanup", wait: String = "") throws
        -> [String]
    {
        let fixture = ScriptFixture()
        let journal = Journal()
        try SampleServer.install(on: fixture.transport)
        fixture.options.log = { journal.note($0.text) }
        fixture.engine.log.enabled = [.stateChanges]
        fixture.engine.log.handler = {
            if $0 == .stateChanges { journal.note($1.replacing("https://api.test/v1/", with: "")) }
        }
        try fixture.load(
            """
            local kept = \(kept)
            local cache = rest.cache.custom {
              key = function(r) return r.url end, read = function(key) \(wait) return kept end,
              write = function(key, entity) kept = entity print("write " .. entity.text) end,
              remove = function() kept = nil print("remove") end,
              update_timestamp = function(key, t) print("update_timestamp " .. t) end,
            }
            api:configure("**", function(c)
              for _, name in ipairs { "model", "cleanup" } do
                c.pipeline[name]:add(function(content) return content .. "+" .. name end)
              end
              c.pipeline.\(stage).cache = cache
            end)
            local res = api:resource("text")
            local function follow(request)
              return request:on_completion(function(info) print("completion new=" .. tostring(info.is_new)) end)
                :on_success(function(e) print("success " .. e.text) end):on_new_data(function() print("new_data hook") end)
                :on_not_modified(function() print("not_modified hook") end):on_failure(function(e) print(e.user_message) end)
            end
            rest.spawn(function() \(source) end)
            """)
        for _ in 0..<12 { fixture.advance(0.5) }
        fixture.close()
        return journal.lines
    }

    private func entity(_ text: String, age: Int) -> String {
        "rest.entity { content = '\(text)', timestamp = rest.now() - \(age) }"
    }

    @Test(arguments: ["", "rest.sleep(1)"])
    func `5.9 a fresh hit`(wait: String) throws {
        #expect(
            try run(
                "for _ = 1, 3 do follow(res:load_if_needed()) end", kept: entity("kept", age: 20), wait: wait)
                == ["text: new_data(cache)", "text: not_modified"]
                + (1...3).flatMap { _ in ["completion new=true", "success kept", "new_data hook"] })
    }

    @Test(arguments: ["", "rest.sleep(1)"])
    func `5.10 a miss`(wait: String) throws {
        #expect(
            try run("follow(res:load_if_needed())", kept: "nil", wait: wait) == [
                "text: requested", "write hello+model+cleanup", "text: new_data(network)",
                "completion new=true",
                "success hello+model+cleanup", "new_data hook",
            ])
    }

    @Test(arguments: ["", "rest.sleep(1)"])
    func `5.11 a stale hit`(wait: String) throws {
        #expect(
            try run("follow(res:load_if_needed())", kept: entity("kept", age: 40), wait: wait) == [
                "text: new_data(cache)", "text: requested", "write hello+model+cleanup",
                "text: new_data(network)",
                "completion new=true", "success hello+model+cleanup", "new_data hook",
            ])
    }

    @Test func `22.9 an early stage's hit passes the later transformers, and is not written back`() throws {
        #expect(
            try run("follow(res:load_if_needed())", kept: entity("kept", age: 1), "model") == [
                "text: new_data(cache)", "text: not_modified", "completion new=true", "success kept+cleanup",
                "new_data hook",
            ])
    }

    @Test func `D6 a cancelled wait for a cache`() throws {
        #expect(
            try run(
                "follow(res:load_if_needed()):cancel() print(res.is_loading)", kept: "nil",
                wait: "rest.sleep(1)")
                == ["true", "text: request_cancelled", "completion new=true", "Request cancelled"])
    }

    @Test func `21.5 D15 a wipe asks the cache again when the entry is gone`() throws {
        #expect(
            try run(
                "res:get() print(res.text) res:wipe() print(res.text) rest.sleep(1) print(res.text) print(res:get())",
                kept: entity("kept", age: 1)) == [
                    "text: new_data(cache)", "text: not_modified", "kept", "remove", "text: new_data(wipe)",
                    "", "",
                    "text: requested", "write hello+model+cleanup", "text: new_data(network)",
                    "hello+model+cleanup",
                ])
    }

    @Test func `22.16 load races with the cache`() throws {
        #expect(
            try run("res:load():await() print(res.text)", kept: entity("kept", age: 1), wait: "rest.sleep(1)")
                == [
                    "text: requested", "text: new_data(network)", "hello+model+cleanup",
                    "write hello+model+cleanup",
                ])
    }
}
