import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// A reload makes the data of changed pipelines stale, and no other data.
@Suite(.leakChecked) @EngineActor
struct ReloadStalenessTests {
    /// Loads `json` with one script, reloads, and returns whether the data is still up to date.
    private func isUpToDate(_ before: String, _ after: String) throws -> Bool {
        let scripts = try ReloadFixture(before)
        let resource = try scripts.api.resource("json")
        resource.load()
        scripts.fixture.settle()
        #expect(resource.isUpToDate)
        scripts.reload(after)
        let result = resource.isUpToDate
        #expect(resource.isUpToDate == result)
        #expect(resource.latestData != nil)
        if !result {
            #expect(resource.loadIfNeeded() != nil)
            scripts.fixture.settle()
            #expect(resource.isUpToDate)
        }
        scripts.close()
        return result
    }

    @Test(arguments: [
        ("", ""),
        ("", "api:configure('**', function(c) c.headers['X-New'] = '1' end)"),
        (
            "api:configure_transformer('json', function(c) return c.name end)",
            "\n\napi:configure_transformer('json', function(d) return d.name end)"
        ),
        (
            "api:configure('**', function(c) c.pipeline.model:add(function(c) return c.name end) end)",
            "\napi:configure('**', function(c) c.headers.A = '1' c.pipeline.model:add(function(c) return c.name end) end)"
        ),
        (
            "api:configure_transformer('other', function(c) return 1 end)",
            "api:configure_transformer('other', function(c) return 2 end)"
        ),
        (
            "api:configure_transformer('json', { output = 'table' }, function(c) return c end)",
            "api:configure_transformer('json', { output = 'table' }, function(c) return c end)"
        ),
    ])
    func `data stays fresh when its pipeline does the same`(before: String, after: String) throws {
        #expect(try isUpToDate(before, after))
    }

    @Test(arguments: [
        ("", "api:configure_transformer('json', function(c) return c.name end)"),
        ("api:configure_transformer('json', function(c) return c.name end)", ""),
        (
            "api:configure_transformer('json', function(c) return c.name end)",
            "api:configure_transformer('json', function(c) return c.id end)"
        ),
        (
            "local key = 'name' api:configure_transformer('json', function(c) return c[key] end)",
            "local key = 'id' api:configure_transformer('json', function(c) return c[key] end)"
        ),
        (
            "api:configure_transformer('json', function(c) return c end)",
            "api:configure_transformer('json', { stage = 'cleanup' }, function(c) return c end)"
        ),
        (
            "api:configure_transformer('json', function(c) return c end)",
            "api:configure_transformer('json', { output = 'table' }, function(c) return c end)"
        ),
        (
            "",
            "api:configure(function(c) c.pipeline.order = { 'parsing' } c.pipeline.parsing:add(rest.transformers.json { transform_errors = false }) end)"
        ),
    ])
    func `data of a pipeline that changed is stale, and still there`(before: String, after: String) throws {
        #expect(try !isUpToDate(before, after))
    }

    @Test func `objects of a class are stale: their class went with the script`() throws {
        let script = """
            local User = {}
            User.__index = User
            api:configure_transformer('json', { output = User }, function(c) return setmetatable({ name = c.name }, User) end)
            """
        #expect(try !isUpToDate(script, script))
    }

    @Test func `what the server says is unchanged is made anew all the same`() throws {
        let scripts = try ReloadFixture(
            "api:configure_transformer('tagged', function(c) return c .. ' one' end)")
        try scripts.fixture.transport.stub(
            method: "GET", urlGlob: "https://api.test/v1/tagged",
            .response(200, headers: Headers([("ETag", "\"e\""), ("Content-Type", "text/plain")]), body: [65]))
        try scripts.fixture.transport.stub(
            method: "GET", urlGlob: "https://api.test/v1/tagged",
            when: StubCondition(headers: ["If-None-Match": .value("\"e\"")]), .response(304))
        let resource = try scripts.api.resource("tagged")
        let load = {
            resource.load()
            scripts.fixture.settle()
            return resource.latestData?.content.text
        }
        #expect(load() == "A one")
        scripts.reload("api:configure_transformer('tagged', function(c) return c .. ' two' end)")
        #expect(load() == "A two")
        // The confirming request was sent before the reload.
        resource.load()
        scripts.reload("api:configure_transformer('tagged', function(c) return c .. ' three' end)")
        #expect(resource.latestData?.content.text == "A two" && !resource.isUpToDate)
        #expect(load() == "A three" && resource.isUpToDate)
        scripts.close()
    }

    @Test func `what was put there by hand stays`() throws {
        let scripts = try ReloadFixture("api:resource('json'):override_local_content({ a = 1 })")
        let resource = try scripts.api.resource("json")
        scripts.reload("api:configure_transformer('json', function(c) return c.name end)")
        #expect(resource.isUpToDate)
        scripts.close()
    }

    @Test func `invalidating the configuration makes no data stale`() throws {
        let scripts = try ReloadFixture(
            """
            local n = 0
            api:configure_transformer('json', function(c) n = n + 1 return n end)
            """)
        let resource = try scripts.api.resource("json")
        resource.load()
        scripts.fixture.settle()
        try scripts.api.invalidateConfiguration()
        #expect(resource.isUpToDate)
        scripts.close()
    }
}
