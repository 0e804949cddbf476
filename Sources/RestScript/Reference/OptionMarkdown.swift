package import Platform

/// Options as Markdown, for the pages of the reference.
package enum OptionMarkdown {
    /// One table of all. Behind an option that is a table come its own options, with dotted names.
    ///
    /// - Parameter kind: The name of a row's thing: `option`.
    static func flat(_ options: [OptionDescription], kind: String = "option", of owner: String = "") -> String
    {
        "\n| \(kind) | type | default | |\n|---|---|---|---|\n" + rows(options, of: owner)
    }

    private static func rows(_ options: [OptionDescription], of owner: String) -> String {
        options.map { option in
            let name = owner + option.name
            return row("`\(name)`", [type(option), standard(option), cell(option.text)])
                + rows(option.fields, of: "\(name).")
        }.joined()
    }

    /// A signature with the names of the options that `{ ... }` in it stands for.
    static func signature(_ text: String, _ options: [OptionDescription]) -> String {
        let names = options.map { $0.name + ($0.isRequired ? "" : "?") }.joined(separator: ", ")
        return text.replacing("{ ... }", with: "{ \(names) }")
    }

    static func row(_ name: String, _ cells: [String]) -> String {
        "| \(name) | \(cells.joined(separator: " | ")) |\n"
    }

    static func type(_ option: OptionDescription) -> String {
        "`\(cell(option.type.replacing("{ ... }", with: "table")))`"
    }

    static func standard(_ option: OptionDescription) -> String {
        option.isRequired ? "required" : option.standard.map { "`\(cell($0))`" } ?? ""
    }

    /// Text in a cell of a table.
    static func cell(_ text: String) -> String { text.replacing("|", with: "\\|") }
}

/// A table of options with a column for each fact, and a section for each table among them, which the others'
/// rows lead to.
package struct OptionSections {
    private struct Section {
        let name: String
        let option: OptionDescription
    }

    private let options: [OptionDescription]
    /// It stands before the names in headings: `c.`.
    private let owner: String
    private let kind: String
    private let level: Int
    /// Those nearer to the top come first: of options that are the same in several places, such as `expose`,
    /// the first has the section.
    private var all: [Section] = []

    /// - Parameters:
    ///   - kind: The name of a row's thing: `option`.
    ///   - level: The number of signs before a heading.
    package init(_ options: [OptionDescription], kind: String, of owner: String = "", level: Int = 2) {
        (self.options, self.owner, self.kind, self.level) = (options, owner, kind, level)
        var next = options.map { Section(name: owner + $0.name, option: $0) }
        while !next.isEmpty {
            let new = next.filter { !$0.option.fields.isEmpty && section(of: $0.option) == nil }
            for one in new where section(of: one.option) == nil { all.append(one) }
            next = new.flatMap { one in
                one.option.fields.map { Section(name: "\(one.name).\($0.name)", option: $0) }
            }
        }
    }

    private func section(of option: OptionDescription) -> Section? {
        option.fields.isEmpty ? nil : all.first { $0.option.fields == option.fields }
    }

    /// The table of the options themselves.
    package var table: String { table(options) }

    /// The sections, those of a table's options behind its own.
    package var sections: String { sections(options, of: owner) }

    private func sections(_ options: [OptionDescription], of owner: String) -> String {
        options.map { option in
            let name = owner + option.name
            guard section(of: option)?.name == name else { return "" }
            return "\n\(String(repeating: "#", count: level)) \(name)\n\n\(option.sentence)\n"
                + table(option.fields) + sections(option.fields, of: "\(name).")
        }.joined()
    }

    private func table(_ options: [OptionDescription]) -> String {
        let hasCounterparts = options.contains { $0.counterpart != nil }
        let titles =
            ["type", "default", "limits"] + (hasCounterparts ? ["elsewhere"] : []) + ["meaning"]
        return "\n" + OptionMarkdown.row(kind, titles) + "|"
            + String(repeating: "---|", count: titles.count + 1)
            + "\n" + options.map { row($0, hasCounterparts: hasCounterparts) }.joined()
    }

    private func row(_ option: OptionDescription, hasCounterparts: Bool) -> String {
        let name = "`\(option.name)`"
        var meaning = option
        // They have columns of their own.
        (meaning.unit, meaning.limits) = (nil, nil)
        let facts =
            [option.limits ?? ""] + (hasCounterparts ? [option.counterpart ?? ""] : []) + [meaning.text]
        return OptionMarkdown.row(
            section(of: option).map { "[\(name)](#\(Self.anchor($0.name)))" } ?? name,
            [
                OptionMarkdown.type(option) + (option.unit.map { ", \($0)" } ?? ""),
                OptionMarkdown.standard(option),
            ] + facts.map(OptionMarkdown.cell))
    }

    /// As GitHub makes it of a heading.
    private static func anchor(_ heading: String) -> String {
        heading.lowercased().filter { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
    }
}
