import Platform
import RestEngine
import TestSupport
import Testing

@testable import LuaRuntime
@testable import RestScript

/// Calls every function, method and property of scripts with large values in all places, under a small
/// budget. A call must not hold the loop for long beyond it. New bindings are found automatically; a new
/// class needs a line in `objects`.
@Suite(.leakChecked, .wholeRunOnly) @EngineActor
struct BindingBudgetTests {
    private static let budget = 0.01
    /// The time beyond the budget and the tick that ends it. It is three times the promise, because tests run
    /// a debug build, in which work on text takes several times as long.
    private static let grace = 0.06

    /// Objects of each class, by its name. Other tests cover those that scripts can't keep.
    private static let objects = """
        local made = {}
        api:configure(function(c) made.configuration = c made.pipeline = c.pipeline made.stage = c.pipeline.model
          c:mutate_requests(function(draft) made.draft = draft end) end)
        api:resource("text"):load():on_completion(function(info) made.info = info made.response = info.response
          made.entity = info.response.entity made.headers = made.entity.headers end)
        api:resource("image"):load():on_success(function(entity) made.image = entity.content end)
        api:resource("missing"):load():on_failure(function(err) made.error = err end)
        made.service, made.resource = api, api:resource("a")
        made.endpoint = api:endpoint("e")
        made.definition, made.definition_maker = api:define("GET", "d"), api:define("GET", "d/{name}")
        made.request, made.raw = made.resource:request("GET"), rest.raw("x")
        made.action, made.regex, made.bytes = rest.use_this_response, rest.regex("x"), rest.bytes("x")
        made.transformer, made.cache = rest.transformers.json(), rest.cache.memory()
        made.status, made.listener = rest.status { made.resource }, rest.on_event({ "cache" }, function() end)
        made.schema = rest.schema.compile { items = { type = "string" }, pattern = "a+" }
        made.record_reader = rest.csv.reader({ header = false })
        made.job, made.timer = rest.spawn(function() rest.sleep(1e6) end), rest.after(1e6, function() end)
        made.gateway, made.env, made.store = rest.gateway { listen = "127.0.0.1:0" }, rest.env, rest.store
        rest.shared { redis = "redis://shared.test" } made.shared_store = rest.store.shared
        objects = made
        """

    private static let values = """
        local rest = require "resthost"
        local emptied = {} for i = 1, 2 ^ 18 do emptied[i] = true end for i = 1, 2 ^ 18 do emptied[i] = nil end
        local many, wide, deep, tree, texts = {}, {}, {}, {}, {}
        for i = 1, 100000 do many[i] = emptied wide["n" .. i] = i end
        local inner = deep for i = 1, 100000 do inner[1] = {} inner = inner[1] end
        for i = 1, 30 do tree = { tree, tree } end
        -- It becomes a secret of this process, so it is like no other test's text.
        local long = ("qk"):rep(1 << 14)
        for i = 1, 1000 do texts[i] = long end
        local pairs_of_texts = {} for i = 1, 1000 do pairs_of_texts[i] = { "n" .. i, long } end
        local large = { emptied = emptied, many = many, wide = wide, deep = deep, tree = tree, texts = texts,
          pairs = pairs_of_texts, long = long, url = "https://api.test/v1/" .. long, json = ("["):rep(1 << 15),
          digits = "[" .. ("1,"):rep(1 << 14) .. "1]", escapes = ("%41"):rep(1 << 13), dots = ("../"):rep(1 << 13) }
        local sorts = {} for sort in pairs(large) do sorts[#sorts + 1] = sort end table.sort(sorts)
        local cases = {}
        local function add(name, f) cases[#cases + 1] = { name, f } end
        local function words(signature)
          local found = {}
          for word in signature:gmatch("[%a_]+") do found[word] = true end
          return found
        end
        local properties = words "headers query path body text json form multipart file content_type charset mutate"
        local function forms(name, signature, call)
          for _, sort in ipairs(sorts) do
            local a = large[sort]
            add(name .. "(" .. sort .. ")", function() return call(a) end)
            add(name .. "('x', " .. sort .. ")", function() return call("x", a) end)
            add(name .. "(" .. sort .. ", " .. sort .. ")", function() return call(a, a, a) end)
            if signature:find "[{:]" then
              local keys = words(signature)
              for key in pairs(signature:find "propert" and properties or {}) do keys[key] = true end
              if signature:find "method" then for key in pairs(properties) do keys[key] = true end end
              for key in pairs(keys) do
                local options = { [key] = a }
                add(("%s{ %s = %s }"):format(name, key, sort), function() return call(options) end)
                add(("%s('x', { %s = %s })"):format(name, key, sort), function() return call("x", options) end)
              end
            end
          end
        end
        """

    /// A signature with the names of the options for which `{ ... }` stands.
    private static func whole(_ signature: String, _ options: [OptionDescription]) -> String {
        func names(_ options: [OptionDescription]) -> [String] {
            options.flatMap { [$0.name] + names($0.fields) }
        }
        return signature.replacing("{ ... }", with: "{ \(names(options).joined(separator: ", ")) }")
    }

    private func source(_ fixture: ScriptFixture) throws -> String {
        let context = try #require(fixture.context)
        var lines = [Self.values]
        func forms(_ name: String, _ signature: String, _ call: String) {
            lines.append("forms([==[\(name)]==], [==[\(signature)]==], \(call))")
        }
        let bindings = context.values.bindings
        for table in [bindings.rest] + bindings.tables {
            for function in table.functions where function.name != "permissions" {
                forms(
                    "\(table.name).\(function.name)", Self.whole(function.signature, function.options()),
                    "\(table.name).\(function.name)")
            }
        }
        for luaClass in bindings.classes.filter(\.isListed).map({ context.values.luaClass(of: $0.type) }) {
            let object = "objects[\"\(luaClass.name)\"]"
            lines.append("if \(object) == nil then unknown[#unknown + 1] = [[\(luaClass.name)]] else")
            lines.append("local o = \(object)")
            for method in luaClass.methods {
                forms(
                    "\(luaClass.name):\(method.name)", Self.whole(method.signature, method.options()),
                    "function(...) return o.\(method.name)(o, ...) end")
            }
            for property in luaClass.properties {
                forms(
                    "\(luaClass.name).\(property.name) = ", property.type,
                    "function(a) o.\(property.name) = a end")
            }
            if luaClass.call != nil { forms(luaClass.name, "{}", "function(...) return o(...) end") }
            forms("\(luaClass.name)[]", "", "function(a) return o[a] end")
            lines.append("end")
        }
        forms("rest.permissions", "{ read, write, env, net }", "rest.permissions")
        return lines.joined(separator: "\n")
    }

    @Test func `no binding holds the loop for longer than the budget of the function that calls it`() throws {
        let folder = TemporaryFolder()
        let fixture = ScriptFixture()
        fixture.options.log = { _ in }
        fixture.options.sharedMemory = .sample
        try SampleServer.install(on: fixture.transport)
        try fixture.load("objects, unknown = nil, {} " + Self.objects, path: folder.path + "/main.lua")
        fixture.settle()
        let context = try #require(fixture.context)
        let lua = context.state.main
        let free = RunPhase(name: "preparation", mayWait: false, budgetSeconds: 100)
        lua.push(
            try context.sandbox.compile(
                Array((try source(fixture) + "\nreturn cases, table.concat(unknown, ' ')").utf8),
                chunk: "calls"))
        try lua.call(arguments: 0, results: 2, phase: free)
        #expect(
            lua.string(-1)
                == "served_request served_client served_response served_body served_part stream_response parameters",
            "objects of other classes are missing")
        lua.pop()
        let cases = lua.top
        let count = lua.rawLength(cases)
        #expect(count > 10_000)
        let phase = RunPhase(name: "call", mayWait: false, budgetSeconds: Self.budget)
        let most = Self.budget + (0.02 + Self.grace) * Sanitizer.slowdown
        var held: [String] = []
        for number in 1...count {
            lua.rawGet(cases, number)
            lua.rawGet(-1, 1)
            let name = lua.string(-1) ?? ""
            lua.pop()
            func time() -> Double {
                lua.rawGet(-1, 2)
                let begin = ClockReading.threadTime
                try? lua.call(arguments: 0, results: 0, phase: phase)
                return ClockReading.threadTime - begin
            }
            var taken = time()
            // If a collection made the first attempt slow, it isn't due again in the next one.
            for _ in 0..<2 where taken > most { taken = min(taken, time()) }
            if taken > most { held.append("\(name): \(Int(taken * 1000)) ms") }
            lua.setTop(cases)
        }
        lua.setTop(0)
        #expect(held.isEmpty, "\(held.joined(separator: "\n"))")
        fixture.close()
    }
}
