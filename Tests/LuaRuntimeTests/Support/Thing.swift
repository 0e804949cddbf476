import LuaRuntime

/// A host object that counts the living objects of its kind in one test.
final class Thing: LuaObject {
    final class Census {
        var alive = 0
    }

    let census: Census
    var size = 3
    var keptBytes: Int

    init(_ census: Census = Census(), keeping bytes: Int = 0) {
        self.census = census
        keptBytes = bytes
        census.alive += 1
    }

    deinit { census.alive -= 1 }

    static func makeClass() -> LuaClass {
        LuaClass(
            "thing",
            methods: [
                LuaMethod("grow", signature: "(by: integer) -> thing", documentation: "Grows.") { arguments in
                    let thing: Thing = try arguments.receiver()
                    thing.size += Int(try arguments.integer(1, "by"))
                    arguments.lua.pushValue(at: 1)
                    return .results(1)
                }
            ],
            properties: [
                LuaProperty(
                    "size", type: "integer", documentation: "How big.",
                    get: { arguments in
                        arguments.lua.push((try arguments.receiver() as Thing).size)
                        return .results(1)
                    },
                    set: { arguments in
                        let thing: Thing = try arguments.receiver()
                        thing.size = Int(try arguments.integer(1, "size"))
                        return .results(0)
                    }),
                LuaProperty("kind", type: "string", documentation: "Always the same.") { arguments in
                    arguments.lua.push("plain")
                    return .results(1)
                },
            ],
            tostring: { "thing of size \(($0 as? Thing)?.size ?? 0)" })
    }
}
