import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// Computed resources across reloads.
@Suite(.leakChecked) @EngineActor
struct ComputedReloadTests {
    private func source(_ text: String) -> String {
        #"api:computed("/x", function() return "\#(text) " .. api:resource("/text"):get() end)"#
    }

    @Test func `71.7 observed, it is computed by the new function at once`() throws {
        let world = try ReloadFixture(source("old"))
        let owner = Owner()
        do {
            let x = try world.api.resource("x")
            x.addObserver(owner: owner) { _, _ in }
            x.load()
            world.fixture.settle()
            #expect(x.latestData?.content.text == "old hello")
            world.reload(source("new"))
            world.fixture.settle()
            #expect(x.latestData?.content.text == "new hello")
            x.removeObservers(ownedBy: owner)
        }
        world.close()
    }

    @Test func `unobserved, it is stale, and its data stays usable`() throws {
        let world = try ReloadFixture(source("old"))
        do {
            let x = try world.api.resource("x")
            x.load()
            world.fixture.settle()
            world.reload(source("new"))
            world.fixture.settle()
            #expect(x.latestData?.content.text == "old hello" && !x.isUpToDate)
            x.loadIfNeeded()
            world.fixture.settle()
            #expect(x.latestData?.content.text == "new hello" && x.isUpToDate)
        }
        world.close()
    }

    @Test func `a reload that fails changes nothing`() throws {
        let world = try ReloadFixture(source("old"))
        do {
            let x = try world.api.resource("x")
            x.load()
            world.fixture.settle()
            world.reload("error 'no'")
            #expect(x.isUpToDate)
            world.reload(source("new"), accepts: false)
            #expect(x.isUpToDate)
        }
        world.close()
    }

    @Test func `71.7 without its declaration it is a resource of the API again, and the other way round`()
        throws
    {
        let world = try ReloadFixture("")
        do {
            let text = try world.api.resource("text")
            text.load()
            world.fixture.settle()
            #expect(text.latestData?.content.text == "hello")
            world.reload(#"api:computed("/text", function() return "mine" end)"#)
            #expect(!text.isUpToDate)
            text.loadIfNeeded()
            world.fixture.settle()
            #expect(text.latestData?.content.text == "mine")
            world.reload("")
            #expect(!text.isUpToDate)
            text.loadIfNeeded()
            world.fixture.settle()
            #expect(text.latestData?.content.text == "hello")
        }
        world.close()
    }

    @Test func `a computation that runs ends by its old function, and is stale then`() throws {
        let world = try ReloadFixture(
            #"api:computed("/x", function() return "old " .. api:resource("/slow"):get() end)"#)
        do {
            let x = try world.api.resource("x")
            x.load()
            world.fixture.settle()
            world.reload(#"api:computed("/x", function() return "new" end)"#)
            world.fixture.advance(2)
            #expect(x.latestData?.content.text == "old late" && !x.isUpToDate)
        }
        world.close()
    }

    private final class Owner {}
}
