import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// The state that a reload keeps and changes (ARCHITECTURE.md, Four walks).
@Suite(.leakChecked) @EngineActor
struct ReloadTests {
    @Test(arguments: [3, 16, 17, 60])
    func `services are found by their names however many there are, over reloads too`(count: Int) throws {
        func declaring(_ numbers: ClosedRange<Int>) -> String {
            """
            for i = \(numbers.lowerBound), \(numbers.upperBound) do
                rest.service { name = "s" .. i, base_url = "https://api.example/" .. i }
            end
            print(pcall(rest.service, { name = "s\(numbers.upperBound)" }))
            """
        }
        let scripts = try ReloadFixture(declaring(1...count))
        #expect(scripts.take().first?.hasPrefix("false\ta service named 's\(count)' exists") == true)
        let kept = try #require(scripts.host.service(named: "s\(count)"))
        scripts.reload(declaring(2...count))
        #expect(scripts.take().first?.hasPrefix("false") == true)
        #expect(scripts.host.service(named: "s1") == nil)
        #expect(scripts.host.service(named: "s\(count)") === kept)
        for number in 2...count {
            #expect(scripts.host.service(named: "s\(number)")?.name == "s\(number)")
        }
        scripts.close()
    }

    @Test func `services keep their resources and data, and blocks are new`() throws {
        let scripts = try ReloadFixture(
            """
            api:configure("**", function(c) c.headers["X-Version"] = "one" end)
            rest.spawn(function() print(api:resource("echo/a"):get()) end)
            """)
        let resource = try scripts.api.resource("echo/a")
        #expect(scripts.take() == ["GET /echo/a X-Version=one"])
        scripts.reload(
            """
            api:configure("**", function(c) c.headers["X-Version"] = "two" end)
            rest.spawn(function()
                local a = api:resource("echo/a")
                print(a:get(), a.is_up_to_date, a:load():await().content)
            end)
            """)
        #expect(scripts.take() == ["GET /echo/a X-Version=one\ttrue\tGET /echo/a X-Version=two"])
        #expect(try scripts.api.resource("echo/a") === resource)
        scripts.close()
    }

    @Test func `a script that is no good changes nothing`() throws {
        let scripts = try ReloadFixture(
            """
            api:configure("**", function(c) c.headers["X-Version"] = "one" end)
            rest.every(1, function() print(api:resource("echo/a"):load():await().content) end)
            """)
        let api = try scripts.api
        for source in [
            "api:configure('**', function(c) c.headers['X-Version'] = 'two' end) error('boom')",
            "local x = = 1", "api.no_such_field = 1",
            "api.cached_resource_count_limit = 5 error('boom')",
            "api.cached_resource_bytes_limit = 5 error('boom')",
            "api:resource('echo/a'):add_observer(function(r, e) if e ~= 'observer_added' then print(e) end end) error('boom')",
            "rest.every(0.1, function() print('never') end) rest.spawn(print, 'never') error('boom')",
            "rest.service { name = 'other', base_url = 'https://other.test' } error('boom')",
        ] {
            let error = try #require(scripts.reload(source))
            #expect(error.line == 1 && error.file == "test.lua")
        }
        scripts.reload("api:configure(function(c) c.headers['X-Version'] = 'three' end)", accepts: false)
        #expect(scripts.take().isEmpty)
        scripts.fixture.advance(1)
        #expect(scripts.take() == ["GET /echo/a X-Version=one"])
        #expect(try scripts.api === api)
        #expect(api.cachedResourceCountLimit == Service.standardResourceCountLimit)
        #expect(scripts.host.services.map(\.name) == ["api"])
        scripts.reload("")
        scripts.close()
    }

    @Test func `what a replaced script declares has no effect, with one warning`() throws {
        let scripts = try ReloadFixture(
            """
            rest.on_reload(function()
              local block = function(c) c.headers["X-Version"] = "old" end
              print(api:configure("**", block) == api)
              api:configure_transformer("**", function() return "old" end)
              api:use(function(service) service:configure(block) end)
              api.cached_resource_count_limit = 5
              api.cached_resource_bytes_limit = 5
              rest.sleep(1)
              api:configure(block)
            end)
            """)
        let api = try scripts.api
        let entries = api.configurationEntries.count
        scripts.reload(
            """
            api:configure("**", function(c) c.headers["X-Version"] = "new" end)
            rest.every(2, function() print(api:resource("echo/a"):load():await().content) end)
            """)
        scripts.fixture.advance(2)
        #expect(
            scripts.take() == [
                "warn: 'configure' has no effect: a reload has replaced this script, and the declarations of the new version count",
                "true", "GET /echo/a X-Version=new",
            ])
        #expect(api.configurationEntries.count == entries + 1)
        #expect(api.cachedResourceCountLimit == Service.standardResourceCountLimit)
        #expect(api.cachedResourceBytesLimit == nil)
        scripts.reload("")
        scripts.close()
    }

    @Test func `the old script's timers and jobs end, and it is notified`() throws {
        let scripts = try ReloadFixture(
            """
            rest.every(1, function() print("tick") end)
            rest.after(2, function() print("never") end)
            rest.spawn(function() rest.sleep(100) print("never") end)
            rest.on_reload(function() print("reload") rest.after(1, print) rest.sleep(1) print("told") end)
            """)
        scripts.fixture.advance(1)
        scripts.reload("rest.spawn(function() print('new') end)")
        #expect(scripts.take() == ["tick", "reload", "new"])
        #expect(scripts.retired.count == 1)
        scripts.fixture.advance(5)
        #expect(scripts.take() == ["told"])
        scripts.close()
    }

    @Test func `75.3 a job's request ends with its function, and the job at its next wait`() throws {
        let scripts = try ReloadFixture(
            """
            local function ask(name)
                print(name .. " got " .. api:resource("slow"):get())
                rest.sleep(0.5)
                print("never")
            end
            rest.spawn(ask, "job")
            rest.spawn(function()
                rest.all { function() ask "inner" end, function() rest.sleep(1000) print("never") end }
                rest.sleep(0.5)
                print("never")
            end)
            """)
        scripts.reload("")
        #expect(scripts.retired.count == 1 && scripts.take() == [])
        scripts.fixture.advance(1)
        #expect(scripts.take().filter { !$0.contains("cancelled") } == ["job got late", "inner got late"])
        scripts.fixture.advance(1)
        #expect(scripts.retired.isEmpty && !scripts.take().contains("never"))
        scripts.close()
    }

    @Test func `what is in flight finishes as it began`() throws {
        let scripts = try ReloadFixture(
            """
            api:configure_transformer("slow", function(text) return "one " .. text end)
            local r = api:resource("slow"):load()
            r:on_success(function(entity)
                print(entity.content)
                rest.sleep(1)
                print("still here")
            end)
            """)
        let resource = try scripts.api.resource("slow")
        scripts.reload(#"api:configure_transformer("slow", function(text) return "two " .. text end)"#)
        #expect(scripts.retired.count == 1)
        scripts.fixture.advance(1)
        #expect(scripts.take() == ["one late"])
        #expect(resource.latestData?.content.text == "one late")
        #expect(scripts.retired.count == 1)
        scripts.fixture.advance(1)
        #expect(scripts.take() == ["still here"])
        #expect(scripts.retired.isEmpty)
        #expect(!resource.isUpToDate, "its pipeline has changed")
        scripts.close()
    }

    @Test func `native observers stay, those of the old script go`() throws {
        let scripts = try ReloadFixture(
            """
            local owner = { changed = function(self, r, event) print("table", event) end,
                            stopped_observing = function() print("stopped") end }
            kept = owner
            local function f(r, event) print("one", event) end
            api:resource("text"):add_observer(f):add_observer(owner)
            """)
        let resource = try scripts.api.resource("text")
        let owner = Owner()
        var seen: [String] = []
        resource.addObserver(owner: owner) { _, event in seen.append(event.name) }
        _ = scripts.take()
        scripts.reload(
            #"api:resource("text"):add_observer(function(r, event) print("two", event) end)"#)
        #expect(scripts.take() == ["two\tobserver_added", "stopped"])
        resource.load()
        scripts.fixture.settle()
        #expect(scripts.take() == ["two\trequested", "two\tnew_data(network)"])
        #expect(seen == ["observer_added", "requested", "new_data(network)"])
        resource.removeObservers(ownedBy: owner)
        scripts.close()
    }

    private final class Owner {}

    @Test func `a hook that comes late adds neither observers nor timers`() throws {
        let scripts = try ReloadFixture(
            """
            api:resource("slow"):load():on_completion(function()
                api:resource("text"):add_observer(function() print("never") end)
                rest.every(1, function() print("never") end)
                rest.on_reload(function() print("at once") end)
            end)
            """)
        scripts.reload("")
        scripts.fixture.advance(3)
        try scripts.api.resource("text").load()
        scripts.fixture.settle()
        #expect(scripts.take() == ["at once"])
        #expect(scripts.retired.isEmpty)
        scripts.close()
    }

    @Test func `a service at another base URL is another`() throws {
        let scripts = try ReloadFixture("")
        let old = try scripts.api
        scripts.reload(
            "",
            prelude:
                #"local rest = require "resthost" rest.service { name = "api", base_url = "https://b.test" } "#
        )
        #expect(try scripts.api !== old)
        #expect(try scripts.api.baseURL?.url.string == "https://b.test/")
        scripts.close()
    }

    @Test func `the store stays, and so do limits that are said again`() throws {
        let scripts = try ReloadFixture(
            "rest.store:set('n', 5) api.cached_resource_count_limit = 7 api.cached_resource_bytes_limit = 70")
        scripts.reload(
            "print(rest.store:get('n'), api.cached_resource_count_limit, api.cached_resource_bytes_limit)")
        #expect(scripts.take() == ["5\t7\t70"])
        #expect(try scripts.api.cachedResourceCountLimit == Service.standardResourceCountLimit)
        #expect(try scripts.api.cachedResourceBytesLimit == nil)
        scripts.close()
    }

    @Test func `a script that waits for ever is ended in the end`() throws {
        let scripts = try ReloadFixture("")
        try scripts.fixture.transport.stub(
            method: nil, urlGlob: "https://api.test/v1/never", .text(200, "late", delay: .seconds(1000)))
        let request = try scripts.api.resource("never").load()
        scripts.fixture.settle()
        scripts.reload("")
        scripts.fixture.advance(179, step: 10)
        #expect(scripts.retired.count == 1 && !request.isCancelled)
        scripts.fixture.advance(2)
        #expect(scripts.retired.isEmpty)
        #expect(
            scripts.take() == ["warn: the script that a reload replaced still waits after 180 s: it is ended"]
        )
        scripts.fixture.advance(1000, step: 100)
        scripts.close()
    }

    @Test func `on_shutdown runs at the end, and may wait`() throws {
        let scripts = try ReloadFixture(
            """
            rest.on_shutdown(function() print("first") rest.sleep(1) print("last") end)
            rest.on_shutdown(function() error("boom") end)
            """)
        var isDone = false
        scripts.host.shutDown { isDone = true }
        scripts.fixture.settle()
        #expect(!isDone)
        scripts.fixture.advance(1)
        #expect(isDone)
        #expect(scripts.take() == ["first", "error: a function of rest.on_shutdown: boom", "last"])
        scripts.close()
    }
}
