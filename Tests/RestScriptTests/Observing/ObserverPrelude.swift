extension ScriptFixture {
    /// The usual prelude, `r` for a resource, and `note(name)`, which makes a table that observes and prints
    /// what it hears; all on the first line.
    static let observerPrelude =
        prelude
            + #"""
            local function note(name) return { \#
            changed = function(self, resource, event) print(name, event) end, \#
            progress = function(self, resource, fraction) print(name, "progress", fraction) end, \#
            stopped_observing = function(self, resource) print(name, "stopped") end } end \#
            local r = api:resource("text")\#u{20}
            """#
}
