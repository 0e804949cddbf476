import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// Bundled plugins, formats and schemas across reloads.
@Suite(.leakChecked) @EngineActor
struct PluginReloadTests {
    private func key(_ value: String) -> String {
        #"api:use("api_key", { header = "X-Key", value = "\#(value)" })"#
    }

    @Test func `a plugin's block is replaced with the script, and gone without its line`() throws {
        let world = try ReloadFixture(key("old-key"))
        let transport = world.fixture.transport
        for (source, sent) in [(key("new-key"), "new-key"), ("", nil)] {
            world.reload(source)
            try world.api.resource("json").load()
            world.fixture.settle()
            #expect(transport.requests.last?.headers["X-Key"] == sent)
        }
        world.close()
    }

    @Test(arguments: [
        #"api:use("csv")"#, #"api:configure("**", function(c) c.schema = { required = { "name" } } end)"#,
    ])
    func `data that was made without a format or a schema is stale with it, and the other way round`(
        line: String
    ) throws {
        for (old, new) in [("", line), (line, "")] {
            let world = try ReloadFixture(old)
            do {
                let resource = try world.api.resource("json")
                resource.load()
                world.fixture.settle()
                #expect(resource.isUpToDate)
                world.reload(new)
                #expect(resource.latestData != nil && !resource.isUpToDate)
            }
            world.close()
        }
    }

    @Test func `a plugin with a wrong option leaves the running script as it was`() throws {
        let world = try ReloadFixture(key("old-key"))
        let error = world.reload(#"api:use("api_key", { hedaer = "X-Key", value = "key-of-plugin" })"#)
        #expect(error?.message == "unknown option 'hedaer': did you mean 'header'?" && error?.line == 1)
        try world.api.resource("json").load()
        world.fixture.settle()
        #expect(world.fixture.transport.requests.last?.headers["X-Key"] == "old-key")
        world.close()
    }

    @Test func `an internal service is hidden, and ends with its script`() throws {
        let line =
            #"local own = rest.service { name = "own", base_url = "https://own.test", internal = true }"#
        let world = try ReloadFixture(line)
        #expect(world.host.services.map(\.name) == ["api"])
        #expect(world.host.allServices.map(\.name) == ["api", "own"])
        #expect(world.host.service(named: "own") != nil)
        world.reload("")
        #expect(world.host.service(named: "own") == nil)
        world.close()
    }
}
