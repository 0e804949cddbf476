import Testing

/// Compares the sandbox's patterns with Lua's own at random.
@Suite struct PatternFuzzTests {
    private static let cases = #"""
        local items = {
          "a", "b", ".", "%a", "%d", "%s", "%w", "%W", "%p", "%g", "%x", "%c", "%u", "%l", "%D", "%z", "%Z", "[ab]", "[^a]",
          "[a-c]", "[%w_]", "[]]", "[^]]", "[%]x]", "[^%s]", "[a-]", "[-a]", "[%a-z]", "[a-%%]", "%.", "%%", "x", "\0",
          "é", "\xff", "[\0-\xff]", "-", "^", "$", "1", " ",
        }
        local groups = { "(", ")", "()", "(a)", "(.-)", "(%w*)", "%b()", "%bxx", "%b\0a", "%f[%w]", "%f[^%w]", "%f[%z]",
          "%1", "%2", "%0", "%", "[", "%b", "%ba", "%f", "%fa", "[^", "[%", "[a-", "]" }
        local repeats = { "", "", "", "", "*", "+", "-", "?", "**", "-?" }
        local letters = { "a", "a", "b", "c", "1", " ", "(", ")", "x", ".", "]", "%", "-", "_", "\0", "é", "\xff", "A" }
        local function pattern()
          local out = below(6) == 0 and "^" or ""
          for _ = 1, below(6) do
            out = out .. (below(5) == 0 and one_of(groups) or one_of(items)) .. one_of(repeats)
          end
          return out .. (below(6) == 0 and "$" or "")
        end
        local replacements = { "", "-", "%0", "%1", "<%0>", "%1%2", "%%", "%", "%a", "%9", "x%0y%1z", 7, true }
        local values = { a = "A", b = false, ["1"] = 1, x = "", [" "] = "%0", [""] = "e", ab = {} }
        local function value(...)
          if select("#", ...) > 1 then return select(2, ...) end
          return values[(...)]
        end
        for case = 1, CASES do
          local s, p, init = text(letters, 10), pattern(), below(24) - 12
          if below(3) == 0 then init = nil end
          local name = ("%d %q %q"):format(case, s, p):gsub("\n", "n")
          note(name .. " find", pcall(string.find, s, p, init))
          note(name .. " plain", pcall(string.find, s, p, init, true))
          note(name .. " match", pcall(string.match, s, p, init))
          note(name .. " gmatch", pcall(function()
            local out = {}
            for a, b in s:gmatch(p, init) do
              out[#out + 1] = show(a) .. show(b)
              if #out > 20 then break end
            end
            return table.concat(out, " ")
          end))
          local with, limit = one_of(replacements), below(3) == 0 and below(4) or nil
          note(name .. " gsub", pcall(string.gsub, s, p, with, limit))
          note(name .. " table", pcall(string.gsub, s, p, values, limit))
          note(name .. " function", pcall(string.gsub, s, p, value, limit))
        end
        """#

    @Test(arguments: 1...8)
    func `find, match, gmatch and gsub do what Lua's do`(seed: UInt64) throws {
        let source = Self.cases.replacing("CASES", with: "2500")
        try Original.compare(source, seed: seed &* 7919)
    }

    @Test func `errors of arguments are those of Lua`() throws {
        let source = #"""
            for _, name in ipairs { "find", "match", "gmatch", "gsub" } do
              local f = string[name]
              note(name, pcall(f))
              note(name, pcall(f, "a"))
              note(name, pcall(f, nil, "a"))
              note(name, pcall(f, "a", {}))
              note(name, pcall(f, "a", "a", "x"))
              note(name, pcall(f, "a", "a", 1.5))
              note(name, pcall(f, 123, 2))
              note(name, pcall(f, "a", "a", "b", "c"))
              note(name, pcall(f, "a", "a", "b", 0))
            end
            note("captures", pcall(string.find, "a", ("()"):rep(32)))
            note("captures", pcall(string.find, "a", ("()"):rep(33)))
            note("method", pcall(function() return ("x"):find() end))
            note("method", pcall(function() return ("x"):gsub("x", nil) end))
            note("infinite", ("abc"):gsub("", "-"))
            note("infinite", ("hello world"):gsub("o*", "x"))
            note("many", (("x"):rep(5000):gsub("x", "%0%0")))
            note("longest", (("x"):rep(100000):gsub("x+", "%0,")))
            """#
        try Original.compare(source, seed: 1)
    }
}
