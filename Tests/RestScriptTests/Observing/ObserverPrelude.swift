extension ScriptFixture {
    /// The usual prelude with a resource `r` and `note(name)`, which makes an observer table that prints its
    /// events. All of it is on the first line.
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
