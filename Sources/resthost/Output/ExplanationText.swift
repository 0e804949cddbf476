import RestEngine
import RestScript

/// An explanation as text for people: blocks in order, the result, the request, the pipeline.
struct ExplanationText {
    var style = Style.standardOutput
    /// The texts of failures, with the failed line.
    var diagnostics = DiagnosticText(style: .standardOutput)

    private static let width = 100

    func text(_ explanation: Explanation) -> String {
        var sections = [
            style.bold(VisibleText.inline("\(explanation.method) \(explanation.url)")) + "\n"
                + style.dim(VisibleText.inline("service \(explanation.service)")) + "\n"
        ]
        if !explanation.blocks.isEmpty {
            sections.append(heading("Blocks that apply, in order") + blocks(explanation.blocks, run: true))
        }
        if !explanation.otherMethods.isEmpty {
            sections.append(
                heading("Blocks for this URL, but for other methods")
                    + blocks(explanation.otherMethods, run: false))
        }
        if !explanation.settings.isEmpty {
            let settings = explanation.settings.filter { !$0.field.hasPrefix("pipeline.") }
            sections.append(
                heading("Configuration")
                    + table(settings.map { (VisibleText.inline($0.field), Self.text($0.value)) }, indent: 2))
        }
        if let computed = explanation.computed { sections.append(sources(computed)) }
        if let draft = explanation.draft { sections.append(request(draft, explanation)) }
        if !explanation.stages.isEmpty { sections.append(response(explanation.stages)) }
        if !explanation.failures.isEmpty {
            sections.append(
                heading("The request fails, and nothing is sent")
                    + explanation.failures.map(failure).joined())
        }
        return sections.joined(separator: "\n")
    }

    private func heading(_ text: String) -> String { style.bold(text) + "\n" }

    // MARK: Blocks

    /// - Parameter run: True when they were run, so their changes are known.
    private func blocks(_ blocks: [Explanation.Block], run: Bool) -> String {
        let numberWidth = blocks.map { String($0.number).count }.max() ?? 1
        let nameWidth = min(blocks.map { Self.title($0).count }.max() ?? 0, 60)
        return blocks.map { block in
            let number = String(block.number)
            let title = Self.title(block)
            let text =
                "  " + String(repeating: " ", count: numberWidth - number.count) + number + "  "
                + Self.padded(title, nameWidth) + "  "
                + style.dim(VisibleText.inline(block.origin ?? "resthost")) + "\n"
            return run ? text + changes(block, indent: numberWidth + 6) : text
        }.joined()
    }

    private static func title(_ block: Explanation.Block) -> String {
        let methods = block.methods.map { "  [\($0.joined(separator: " "))]" } ?? ""
        let isClear = block.origin == nil || block.description.contains(block.pattern)
        let pattern = isClear ? "" : "  \(block.pattern)"
        return VisibleText.inline(block.description + pattern + methods)
    }

    private func changes(_ block: Explanation.Block, indent: Int) -> String {
        let rows = block.changes.map { change -> (String, String) in
            switch change {
            case .value(let field, let before, let after):
                (VisibleText.inline(field), Self.text(from: before, to: after, indent: indent + field.count))
            case .added(let field, let part): (VisibleText.inline(field), style.green("+") + " " + text(part))
            case .removed(let field, let part): (VisibleText.inline(field), style.red("-") + " " + text(part))
            }
        }
        var shown = table(rows, indent: indent)
        let space = String(repeating: " ", count: indent)
        if let failure = block.failure {
            let message = VisibleText.lines(failure.message, indent: space + "  ")
            shown += space + style.red("fails:") + " \(message)\n"
        } else if rows.isEmpty {
            shown += space + style.dim("changes nothing") + "\n"
        }
        return shown
    }

    private static func text(from before: Tree?, to after: Tree?, indent: Int) -> String {
        let old = before.map(text) ?? "(none)"
        let new = after.map(text) ?? "(none)"
        let gap = old.count + new.count + indent > width ? "\n→ " : " → "
        return old + gap + new
    }

    private func text(_ part: Explanation.Part) -> String {
        var shown = part.description
        if let origin = part.origin, !shown.contains(origin) {
            shown += shown.isEmpty ? origin : "  \(origin)"
        }
        shown = VisibleText.inline(shown)
        if let types = part.contentTypes {
            shown += style.dim(VisibleText.inline("  for \(types.joined(separator: ", "))"))
        }
        return shown
    }

    // MARK: Request and response

    private func request(_ draft: Explanation.Draft, _ explanation: Explanation) -> String {
        var shown = heading("Request")
        shown += VisibleText.inline("  \(draft.method) \(draft.url)") + "\n"
        if draft.method != explanation.method {
            shown +=
                "  " + style.dim("(a mutator changed the method: what follows is that of \(draft.method))")
                + "\n"
        }
        for header in draft.headers {
            shown += VisibleText.inline("  \(header.name): \(header.value)") + "\n"
        }
        if let bytes = draft.bodyBytes { shown += "  " + style.dim("(a body of \(bytes) bytes)") + "\n" }
        for mutator in explanation.mutators { shown += "  " + style.dim("edited by") + " \(text(mutator))\n" }
        for decorator in explanation.decorators {
            shown += "  " + style.dim("decorated by") + " \(text(decorator))\n"
        }
        return shown
    }

    private func sources(_ computed: Explanation.Computed) -> String {
        let title = heading("Computed" + (computed.origin.map { " by the function at \($0)" } ?? ""))
        guard let sources = computed.sources else { return title + "  not computed yet\n" }
        guard !sources.isEmpty else { return title + "  of no other resource\n" }
        return title
            + sources.map { source in
                let time = source.timestamp.flatMap { InternetTime.text($0) } ?? "no data"
                return VisibleText.inline("  of \(source.url)  ") + style.dim(time) + "\n"
            }.joined()
    }

    private func response(_ stages: [Explanation.Stage]) -> String {
        let rows = stages.map { stage -> (String, String) in
            var lines = stage.transformers.map(text)
            if let cache = stage.cache { lines.append(VisibleText.inline("kept in \(cache)")) }
            if lines.isEmpty { lines = [style.dim("–")] }
            if !stage.isListed { lines[0] += style.yellow("  not in the order: does not run") }
            return (VisibleText.inline(stage.name), lines.joined(separator: "\n"))
        }
        return heading("The response passes") + table(rows, indent: 2)
    }

    private func failure(_ failure: Explanation.Failure) -> String {
        let diagnostic = Diagnostic(
            .error, failure.message, file: failure.file, line: failure.line, traceback: failure.traceback)
        return diagnostics.text(diagnostic).split(separator: "\n").map { "  \($0)\n" }.joined()
    }

    // MARK: Layout

    /// The values in a column. Further lines of a value are indented like its first one.
    private func table(_ rows: [(String, String)], indent: Int) -> String {
        let width = rows.map(\.0.count).max() ?? 0
        let space = String(repeating: " ", count: indent)
        return rows.map { name, value in
            let lines = value.split(separator: "\n", omittingEmptySubsequences: false)
            let rest = lines.dropFirst().map { space + Self.padded("", width) + "  " + $0 + "\n" }.joined()
            return space + Self.padded(name, width) + "  " + (lines.first ?? "") + "\n" + rest
        }.joined()
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func text(_ value: Tree) -> String {
        if let text = value.string { return VisibleText.inline(text) }
        if let number = value.double, number == number.rounded(), abs(number) < 1e15 {
            return "\(Int64(number))"
        }
        guard value.kind == .array else { return VisibleText.inline(value.description) }
        return value.elements.map(text).joined(separator: ", ")
    }
}
