import CLuaTestHost
import LuaRuntime
import Platform
import Testing

/// Compares the sandbox's library with Lua's own. Both run the same chunk, which gives a line for each case.
enum Original {
    /// The beginning of every chunk: random numbers that are the same in every run, and values as text.
    private static let prelude = #"""
        local seed = SEED
        local function below(n)
          seed = seed * 6364136223846793005 + 1442695040888963407
          return (seed >> 33) % n
        end
        local function one_of(list) return list[below(#list) + 1] end
        local function text(list, most)
          local out = ""
          for _ = 1, below(most + 1) do out = out .. one_of(list) end
          return out
        end
        local lines = {}
        local function show(value)
          if type(value) == "string" then
            if #value > 200 then return "#" .. #value .. value:sub(1, 40) .. value:sub(-40) end
            return (("%q"):format(value):gsub("\n", "n"))
          end
          if type(value) == "table" or type(value) == "function" then return type(value) end
          return tostring(value)
        end
        local function note(name, ...)
          local line = name
          for i = 1, select("#", ...) do line = line .. " " .. show((select(i, ...))) end
          lines[#lines + 1] = line
        end

        """#

    static func compare(_ source: String, seed: UInt64) throws {
        let found = try differences(source, seed: seed)
        #expect(found.isEmpty, "\(found.joined(separator: "\n"))")
    }

    /// Some of the differences, at most.
    private static func differences(_ source: String, seed: UInt64) throws -> [String] {
        let chunk =
            prelude.replacing("SEED", with: "\(Int64(bitPattern: seed))") + source
            + "\nreturn table.concat(lines, '\\n')"
        var length = 0
        guard let result = luahost_run(chunk, chunk.utf8.count, &length) else { return ["no memory"] }
        defer { free(result) }
        // Before 5.4.6, Lua's errors call the position of `table.remove` its first argument.
        let expected = String(
            decoding: UnsafeRawBufferPointer(start: result, count: length), as: UTF8.self
        ).replacing("#1 to 'table.remove' (position", with: "#2 to 'table.remove' (position")
        let fixture = Fixture(memoryLimit: 256 << 20)
        let actual = try fixture.run(
            chunk, phase: RunPhase(name: "test", mayWait: true, budgetSeconds: 60))
        if expected == actual { return [] }
        let lines = (expected.split(separator: "\n"), actual.split(separator: "\n"))
        var found = lines.0.count == lines.1.count ? [] : ["\(lines.0.count) lines, not \(lines.1.count)"]
        for (expected, actual) in zip(lines.0, lines.1) where expected != actual && found.count < 5 {
            found.append("Lua:  \(expected)\nhere: \(actual)")
        }
        return found
    }
}
