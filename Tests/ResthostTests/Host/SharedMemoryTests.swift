import TestSupport
import Testing

/// `rest.shared`, `rest.cache.redis` and `rest.store.shared` in the program.
@Suite(.withRedis) struct SharedMemoryTests {
    @Test func `two runs share values, and check reaches no server`() async throws {
        let server = await RedisServer()
        let folder = ScriptFolder(
            """
            rest.shared { redis = "\(server.networkAddress)", timeout = 5 }
            local cache = rest.cache.redis { ttl = 60 }
            rest.spawn(function() print("run " .. rest.store.shared:incr("runs")) end)
            """)
        #expect(await folder.run("run", "main.lua").output.contains("run 1"))
        #expect(await folder.run("run", "main.lua").output.contains("run 2"))
        server.kill()
        let checked = await folder.run("check", "main.lua")
        #expect(checked.code == 0, "\(checked.errors)")
        let lonely = await folder.run("run", "main.lua")
        #expect(lonely.errors.contains("can't be reached"), "\(lonely.errors)")
    }

    @Test func `the settings declare it without the script`() async throws {
        let server = await RedisServer()
        let folder = ScriptFolder(
            #"rest.spawn(function() print("count " .. rest.store.shared:incr("runs")) end)"#)
        folder.write("[shared]\nredis = \"\(server.address)\"\ntimeout = 5\n", to: "resthost.toml")
        #expect(await folder.run("run", "main.lua").output.contains("count 1"))
        folder.write("[shared]\nredis = \"http://u:secret-word@h\"\n", to: "resthost.toml")
        let refused = await folder.run("run", "main.lua")
        #expect(refused.code == 2)
        #expect(refused.errors.contains("is not the URL of a server"), "\(refused.errors)")
        #expect(!refused.errors.contains("secret-word"))
    }

    @Test func `a list of servers and an authority are settings of both`() async throws {
        let server = await RedisServer()
        let unused = LoopbackPeer.unusedPort()
        let source = #"rest.spawn(function() print("count " .. rest.store.shared:incr("runs")) end)"#
        let list = "redis://127.0.0.1:\(unused), \(server.networkAddress)"
        let folder = ScriptFolder("rest.shared { redis = \"\(list)\", timeout = 5 }\n" + source)
        #expect(await folder.run("run", "main.lua").output.contains("count 1"))
        folder.write(
            "[shared]\nredis = [\"redis://127.0.0.1:\(unused)\", \"\(server.networkAddress)\"]\ntimeout = 5\n",
            to: "resthost.toml")
        #expect(await folder.run("run", "main.lua").output.contains("count 2"))
        folder.write(
            "[shared]\nredis = \"rediss://127.0.0.1:\(unused)\"\nca-file = \"ca.pem\"\n", to: "resthost.toml")
        let secure = await folder.run("run", "main.lua")
        #expect(secure.errors.contains("ca.pem' is no file of certificates"), "\(secure.errors)")
    }
}
