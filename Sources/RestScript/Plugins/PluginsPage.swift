import Platform
import RestEngine

/// The page of the plugins that come with the program.
@EngineActor
enum PluginsPage {
    static func text() throws -> String {
        try heading + PluginDescription.all().map(section).joined()
    }

    private static func section(_ plugin: PluginDescription) -> String {
        var text = "\n## \(plugin.name)\n\n\(plugin.text)\n"
        if plugin.isUsed {
            text += "\n`service:use(\"\(plugin.name)\", { … })`\n"
            if !plugin.options.isEmpty { text += OptionMarkdown.flat(plugin.options) }
        }
        guard !plugin.functions.isEmpty else { return text }
        text += "\n`local \(plugin.name) = require \"resthost.\(plugin.name)\"`\n"
        for (place, function) in plugin.functions.enumerated() {
            let signature = OptionMarkdown.signature(function.signature, function.options)
            text += "\n- `\(plugin.name).\(function.name)\(signature)`\n  \(function.text)\n"
            if function.options.isEmpty { continue }
            if let same = plugin.functions[..<place].first(where: { $0.options == function.options }) {
                text += "  Its options are those of `\(same.name)`.\n"
            } else {
                text += OptionMarkdown.flat(function.options)
            }
        }
        return text
    }

    private static let heading = """
        # Plugins

        Every plugin that comes with the program, with its options and functions. The guide
        [Plugins](../guides/plugins.md) shows how to use them, and how to change one or write your own.

        ```lua
        local rest = require "resthost"
        local api = rest.service { base_url = "https://api.example.com" }

        api:use("api_key", { header = "X-Api-Key", value = "abc" })
        ```

        `resthost plugins NAME` prints the source of one.

        This file is written by `resthost reference plugins > docs/reference/plugins.md`.

        """
}
