import Testing

/// Compares the sandbox's other bounded functions with Lua's own at random.
@Suite struct LibraryFuzzTests {
    private static let texts = #"""
        local letters = { "a", "B", "z", "0", " ", "\0", "é", "\xff", "%", "\n" }
        local specs = { "%d", "%5d", "%-5d|", "%05.1f", "%s", "%10s", "%.3s", "%q", "%x", "%X", "%o", "%c", "%i", "%u", "%g",
          "%a", "%e", "%%", "%", "%y", "%99999d", "%100d", "%.100f", "%5%", "%#x", "%+d", "%p", "%q5", "%5q", "%.20s",
          ("%%%s"):format(("0"):rep(40)) .. "d" }
        local values = { 1, -5, 3.25, 2^53, "7", "x", "a\0b", true, nil, 1 / 0, 0x7fffffffffffffff, 1e100, "é\r\n\\" }
        for case = 1, 4000 do
          local s, n, sep = text(letters, 8), below(12) - 2, text(letters, 2)
          note(case .. " rep", pcall(string.rep, s, n, below(2) == 0 and sep or nil))
          note(case .. " case", s:upper(), s:lower(), s:reverse())
          local long = s:rep(below(3) == 0 and 9000 or 200, sep)
          note(case .. " long", long, long:upper(), long:lower(), long:reverse())
          local f = text(letters, 2):gsub("%%", "") .. one_of(specs) .. text(letters, 1):gsub("%%", "") .. one_of(specs)
          local a, b = values[below(#values) + 1], values[below(#values) + 1]
          if not f:find "%%p" then note(case .. " format " .. show(f), pcall(string.format, f, a, b)) end
        end
        note("rep", pcall(string.rep, "x", 1 << 62))
        note("rep", pcall(string.rep, "xx", 1 << 62))
        note("rep", pcall(string.rep, "x", 3, ("y"):rep(700)))
        note("rep", pcall(string.rep, ("x"):rep(700), 3))
        for _, name in ipairs { "rep", "upper", "lower", "reverse", "format", "pack", "unpack", "packsize" } do
          note(name, pcall(string[name]))
          note(name, pcall(string[name], {}))
          note(name, pcall(string[name], 5, "x"))
        end
        """#

    private static let formats = #"""
        local filler = ("text 100%% "):rep(900)
        local shown = setmetatable({}, { __tostring = function() return "shown" end, __name = "kind" })
        for case = 1, 200 do
          local f, count = filler, below(40)
          local values = {}
          for i = 1, count do
            local kind = below(6)
            f = f .. ({ "%d", "%5.2f", "%s", "%-8s|", "%q", "%x" })[kind + 1] .. " "
            values[i] = ({ below(1000), below(1000) / 7, shown, "s" .. below(10), "q\n" .. below(10), below(99) })[kind + 1]
          end
          note(case, f:format(table.unpack(values)))
          note(case, pcall(string.format, f .. "%d", table.unpack(values)))
        end
        local big = ("line\n\0"):rep(30000)
        note("big", ("%s|%q|%s"):format(big, big, 5))
        note("big", pcall(string.format, "%5.1s", big:gsub("\0", "")))
        """#

    private static let lists = #"""
        local function proxy(t)
          return setmetatable({}, {
            __index = function(_, k) return t[k] end, __newindex = function(_, k, v) t[k] = v end,
            __len = function() return #t end,
          })
        end
        local function content(t)
          local out = {}
          for i = -3, 12 do out[#out + 1] = show(t[i]) end
          return table.concat(out, ",")
        end
        for case = 1, 6000 do
          local raw = {}
          for i = 1, below(8) do raw[i] = below(10) end
          local other = below(3) == 0 and {} or nil
          local t = below(3) == 0 and proxy(raw) or raw
          local a, b, c = below(12) - 2, below(12) - 2, below(12) - 2
          note(case .. " insert", pcall(table.insert, t, a, "n"))
          note(case .. " append", pcall(table.insert, t, "m"), content(raw))
          note(case .. " remove", pcall(table.remove, t, a))
          note(case .. " remove", pcall(table.remove, t), content(raw))
          note(case .. " move", pcall(table.move, t, a, b, c, other))
          note(case .. " moved", content(raw), other and content(other))
          note(case .. " concat", pcall(table.concat, t, "-", below(3) == 0 and a or nil, below(3) == 0 and b or nil))
          local numbers, names = {}, {}
          for i = 1, below(30) do numbers[i], names[i] = below(20), text({ "a", "b", "é" }, 3) end
          table.sort(numbers)
          table.sort(names, function(x, y) return x > y end)
          note(case .. " sort", table.concat(numbers, " "), table.concat(names, " "))
        end
        note("sort", pcall(table.sort, { 1, "x", 2 }))
        note("sort", pcall(table.sort, { 3, 2, 1, {} }, function() return true end))
        note("sort", pcall(table.sort, setmetatable({}, { __len = function() return 1 << 40 end })))
        note("move", pcall(table.move, {}, 1, math.maxinteger, 2))
        note("move", pcall(table.move, {}, -1, math.maxinteger, 2))
        note("concat", pcall(table.concat, { 1, {}, 3 }))
        note("insert", pcall(table.insert, { 1 }, 1, 2, 3))
        for _, name in ipairs { "insert", "remove", "move", "concat", "sort", "unpack", "pack" } do
          note(name, pcall(table[name]))
          note(name, pcall(table[name], "x"))
          note(name, pcall(table[name], {}, {}))
          note(name, pcall(table[name], setmetatable({}, { __len = function() return "x" end }), 1))
        end
        """#

    private static let codePoints = #"""
        local parts = { ("é"):rep(50), ("a"):rep(100), ("\u{10ffff}"):rep(30), "€", "\u{7fffffff}", "b" }
        for case = 1, 60 do
          local s = ""
          while #s < 140000 do s = s .. one_of(parts):rep(below(200)) end
          if below(3) == 0 then
            local cut = below(#s)
            s = s:sub(1, cut) .. "\xa9" .. s:sub(cut)
          end
          local i, j, n = below(2 * #s) - #s, below(2 * #s) - #s, below(#s) - #s // 2
          note(case .. " len", pcall(utf8.len, s), pcall(utf8.len, s, nil, nil, true))
          note(case .. " len", pcall(utf8.len, s, i, j, true))
          note(case .. " len", pcall(utf8.len, s, i))
          note(case .. " offset", pcall(utf8.offset, s, n))
          note(case .. " offset", pcall(utf8.offset, s, n, i))
          note(case .. " offset", pcall(utf8.offset, s, 0, i))
          note(case .. " offset", pcall(utf8.offset, s, below(9) - 4, i))
        end
        note("bounds", pcall(utf8.len, "abc", 5), pcall(utf8.len, "abc", 1, 5))
        note("bounds", pcall(utf8.offset, ("a"):rep(70000), 1, 70002), pcall(utf8.offset, ("a"):rep(70000), math.mininteger))
        """#

    private static let chunks = #"""
        local long = ("local x = 1 -- " .. ("y"):rep(90) .. "\n"):rep(150) .. "return 7"
        local function pieces(s, size)
          local i = 1
          return function()
            local piece = s:sub(i, i + size - 1)
            i = i + size
            return piece
          end
        end
        note("long", load(long)())
        for size = 1, 40 do note("pieces", load(pieces(long, size * 7))()) end
        note("number", pcall(load, 5))
        note("error", load("x ="))
        note("error", load(pieces("x = = 1", 2)))
        note("error", load(pieces("x = = 1", 2), "@name.lua"))
        note("reader", pcall(load, function() return {} end))
        note("reader", pcall(load, function() error("broken", 0) end))
        note("nothing", load(function() end)())
        note("environment", load("return x", "c", "t", { x = 5 })(), pcall(load("return x.y", "c", "t", nil)))
        note("environment", load("return 1", "c", nil, {})())
        note("mode", load("return 1", "c", "b"))
        note("binary", load("\27Lua", "c", "t"))
        note("wrong", pcall(load))
        note("wrong", pcall(load, {}))
        note("wrong", pcall(load, "x", {}))
        """#

    @Test func `strings`() throws { try Original.compare(Self.texts, seed: 11) }

    @Test func `long formats`() throws { try Original.compare(Self.formats, seed: 12) }

    @Test func `lists`() throws { try Original.compare(Self.lists, seed: 13) }

    @Test func `code points`() throws { try Original.compare(Self.codePoints, seed: 14) }

    @Test func `chunks`() throws { try Original.compare(Self.chunks, seed: 15) }
}
