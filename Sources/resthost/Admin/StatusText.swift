import Platform
import RestEngine

/// The answer of `/-/status` as text for people. Missing members are left out, because the host may have
/// another version.
struct StatusText {
    var style = Style.standardOutput

    func text(_ status: Tree) -> String {
        var rows: [[String]] = []
        func add(_ name: String, _ text: String?) {
            if let text { rows.append([name, text]) }
        }
        let generation = status["generation"]
        add("script", script(status).map(VisibleText.inline))
        add("generation", generation.map(self.generation))
        let listening = strings(status["gateway"]?["listening"])
        let secured = strings(status["gateway"]?["tls"])
        if !listening.isEmpty {
            add("gateway", listening.map { address($0, secured) }.joined(separator: ", "))
        }
        let operators = strings(status["operators"]?["listening"])
        if !operators.isEmpty {
            let secured = strings(status["operators"]?["tls"])
            add("operators", operators.map { address($0, secured) }.joined(separator: ", "))
        }
        add("admin", status["admin"]?.string.map(VisibleText.inline))
        if !listening.isEmpty { add("connections", number(status["gateway"]?["connections"])) }
        add("requests", number(status["requests"]).map { "\($0) in flight" })
        if status["offline"]?.bool == true { add("offline", "nothing is sent") }
        add("jobs", jobs(status))
        add("memory", memory(status["memory"]))
        add("threads", threads(status["threads"]))
        let head =
            "resthost \(VisibleText.inline(status["version"]?.string ?? "?")), process \(number(status["pid"]) ?? "?"), "
            + "up \(TimeSpan.text(status["uptime"]?.double ?? 0))\n"
        return style.bold(head) + TextColumns.text(rows, indent: "  ") + workers(status) + services(status)
            + limits(status) + breakers(status) + warnings(status)
            + failure(status["last_failure"], generation: number(generation?["number"]))
    }

    private func script(_ status: Tree) -> String? {
        guard let script = status["script"]?.string else { return nil }
        guard !script.hasPrefix("/"), let folder = status["folder"]?.string else { return script }
        return "\(script) in \(folder)"
    }

    private func generation(_ generation: Tree) -> String {
        var text = number(generation["number"]) ?? "?"
        if let age = generation["age"]?.double { text += ", loaded \(TimeSpan.text(age)) ago" }
        if let trigger = generation["trigger"]?.string { text += " (\(VisibleText.inline(trigger)))" }
        if let retiring = generation["retiring"]?.int, retiring > 0 {
            text += "; \(retiring) earlier finishing"
        }
        return text
    }

    private func memory(_ memory: Tree?) -> String? {
        func bytes(_ name: String) -> String? { memory?[name]?.int.map { ByteCount.text(Int(clamping: $0)) } }
        var parts: [String] = []
        if let lua = bytes("lua") { parts.append("\(lua) in Lua") }
        if let content = bytes("content"), let limit = bytes("content_limit"), memory?["content_limit"] != 0 {
            let bodies = memory?["bodies"]?.int ?? 0
            let onTheWay = bodies > 0 ? " and \(ByteCount.text(Int(clamping: bodies))) on their way," : ""
            parts.append("\(content) of content\(onTheWay) of \(limit) at most")
        }
        if let available = bytes("available"), let place = memory?["available_from"]?.string {
            parts.append("the \(place) has \(available)")
        }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    private func threads(_ threads: Tree?) -> String? {
        guard let modules = threads?["transformers"]?.int else { return nil }
        var text = "1 for the engine, "
        if let gateway = threads?["gateway"]?.int, gateway > 0 { text += "\(gateway) for the gateway, " }
        if threads?["transfers"]?.int == 1 { text += "1 for transfers, " }
        text += "up to \(modules) for modules"
        if let count = threads?["processors"]?.int, let place = threads?["processors_from"]?.string {
            text += "; the \(VisibleText.inline(place)) has \(count) processor\(count == 1 ? "" : "s")"
        }
        return text
    }

    private func jobs(_ status: Tree) -> String? {
        guard var text = number(status["jobs"]) else { return nil }
        if let failed = status["failed_jobs"]?.int, failed > 0 {
            text += ", \(style.red("\(failed) failed"))"
        }
        return text
    }

    private func services(_ status: Tree) -> String {
        let rows = (status["services"]?.elements.map { $0 } ?? []).map { service in
            [
                VisibleText.inline(service["name"]?.string ?? "?"),
                VisibleText.inline(service["base_url"]?.string ?? "absolute URLs only"),
                "\(number(service["resources"]) ?? "?") resource\(service["resources"]?.int == 1 ? "" : "s")"
                    + evictions(service["evicted"]),
            ]
        }
        return rows.isEmpty ? "" : "  services\n" + TextColumns.text(rows, indent: "    ")
    }

    private func evictions(_ evicted: Tree?) -> String {
        let count = ["count", "bytes", "no_data"].reduce(0) { $0 + (evicted?[$1]?.int ?? 0) }
        return count > 0 ? ", \(count) dropped to make room" : ""
    }

    private func workers(_ status: Tree) -> String {
        let rows = (status["workers"]?.elements.map { $0 } ?? []).map { worker in
            [
                number(worker["number"]) ?? "?", "process \(number(worker["pid"]) ?? "?")",
                "up \(TimeSpan.text(worker["uptime"]?.double ?? 0))",
                "\(number(worker["connections"]) ?? "0") connections",
                worker["resident"]?.int.map { "\(ByteCount.text(Int(clamping: $0))) in memory" } ?? "",
            ]
        }
        return rows.isEmpty ? "" : "  workers\n" + TextColumns.text(rows, indent: "    ")
    }

    private func limits(_ status: Tree) -> String {
        let rows = (status["limits"]?.elements.map { $0 } ?? []).map { limit in
            var text = "\(number(limit["in_flight"]) ?? "?")"
            if let most = number(limit["most_in_flight"]) { text += " of \(most)" }
            text += " in flight, \(number(limit["waiting"]) ?? "?") waiting"
            if let rate = limit["rate"]?.double { text += ", \((rate * 100).rounded() / 100) a second" }
            if let paused = limit["paused"]?.double, paused > 0 {
                text += ", " + style.yellow("paused for \(TimeSpan.text(paused))")
            }
            return [VisibleText.inline(limit["name"]?.string ?? "?"), text]
        }
        return rows.isEmpty ? "" : "  limits\n" + TextColumns.text(rows, indent: "    ")
    }

    private func breakers(_ status: Tree) -> String {
        let rows = (status["breakers"]?.elements.map { $0 } ?? []).map { breaker in
            let left = breaker["open"]?.double ?? 0
            let text =
                left > 0
                ? "open for \(TimeSpan.text(left))"
                : breaker["probed"]?.bool == true ? "half open, one request is on its way" : "half open"
            return [VisibleText.inline(breaker["origin"]?.string ?? "?"), style.yellow(text)]
        }
        return rows.isEmpty ? "" : "  breakers\n" + TextColumns.text(rows, indent: "    ")
    }

    private func warnings(_ status: Tree) -> String {
        strings(status["warnings"]).map { style.yellow("warning:") + " \($0)\n" }.joined()
    }

    private func failure(_ failure: Tree?, generation: String?) -> String {
        guard let failure, let message = failure["message"]?.string else { return "" }
        var text = style.red("the last reload failed")
        if let age = failure["age"]?.double { text += " \(TimeSpan.text(age)) ago" }
        if let trigger = failure["trigger"]?.string { text += " (\(VisibleText.inline(trigger)))" }
        text += "; generation \(generation ?? "?") goes on\n"
        return text + FailureReport(failure, message: message).text(style)
    }

    private func address(_ text: String, _ secured: [String]) -> String {
        text.hasPrefix("unix:") ? text : (secured.contains(text) ? "https://" : "http://") + text
    }

    private func number(_ tree: Tree?) -> String? { tree?.int.map { "\($0)" } }

    private func strings(_ tree: Tree?) -> [String] {
        tree?.elements.compactMap(\.string).map(VisibleText.inline) ?? []
    }
}
