import ArgumentParser

/// An option or a flag, declared once for the two parsers of command lines: ArgumentParser and ``PlainLine``.
struct OptionEntry: Sendable {
    enum Kind: Sendable {
        case flag
        /// The option may be given once.
        case single
        /// The option may be given several times.
        case repeated
    }

    let kind: Kind
    /// The name without dashes. One character is a short name.
    let name: String
    let help: String
    let valueName: String
    /// The values that shells offer; nil for none.
    var completion: CompletionKind?

    static func flag(_ name: String, _ help: String) -> OptionEntry {
        OptionEntry(kind: .flag, name: name, help: help, valueName: "")
    }

    static func single(
        _ name: String, _ valueName: String, _ help: String, completion: CompletionKind? = nil
    ) -> OptionEntry {
        OptionEntry(kind: .single, name: name, help: help, valueName: valueName, completion: completion)
    }

    static func repeated(
        _ name: String, _ valueName: String, _ help: String, completion: CompletionKind? = nil
    ) -> OptionEntry {
        OptionEntry(kind: .repeated, name: name, help: help, valueName: valueName, completion: completion)
    }

    var isShort: Bool { name.utf8.count == 1 }

    fileprivate var specification: NameSpecification {
        isShort ? .customShort(name.first ?? "-") : .customLong(name)
    }

    fileprivate var argumentHelp: ArgumentHelp { ArgumentHelp("\(help)", valueName: valueName) }
}

extension Flag where Value == Bool {
    init(wrappedValue: Bool, _ entry: OptionEntry) {
        self.init(wrappedValue: wrappedValue, name: entry.specification, help: entry.argumentHelp)
    }
}

extension Option {
    init<T: ExpressibleByArgument>(_ entry: OptionEntry) where Value == T? {
        self.init(name: entry.specification, help: entry.argumentHelp, completion: entry.completion)
    }

    init(
        wrappedValue: [String], _ entry: OptionEntry, parsing strategy: ArrayParsingStrategy = .singleValue
    ) where Value == [String] {
        self.init(
            wrappedValue: wrappedValue, name: entry.specification, parsing: strategy,
            help: entry.argumentHelp, completion: entry.completion)
    }
}

/// A command line that has only words and options of a table. ArgumentParser asks Swift's runtime about types
/// to read it, which takes longer than all further work of `resthost get`. So a plain command line is read
/// here instead.
struct PlainLine {
    private struct Option {
        let name: String
        let value: String
    }

    private(set) var words: [String] = []
    private var options: [Option] = []

    /// Nil for a command line that is not plain. ArgumentParser then reads it and reports any error.
    init?(_ arguments: ArraySlice<String>, _ table: [OptionEntry]) {
        var rest = arguments
        while let argument = rest.popFirst() {
            guard argument.utf8.first == UInt8(ascii: "-") else {
                guard !argument.isEmpty else { return nil }
                words.append(argument)
                continue
            }
            let isLong = argument.utf8.dropFirst().first == UInt8(ascii: "-")
            let text = argument.dropFirst(isLong ? 2 : 1)
            let equals = isLong ? text.firstIndex(of: "=") : nil
            let name = text[..<(equals ?? text.endIndex)]
            guard let entry = table.first(where: { $0.isShort != isLong && $0.name == name }) else {
                return nil
            }
            if entry.kind != .repeated, has(entry) { return nil }
            var value = equals.map { String(text[text.index(after: $0)...]) }
            if entry.kind == .flag {
                guard value == nil else { return nil }
            } else {
                if value == nil { value = rest.popFirst() }
                // ArgumentParser decides whether text that looks like an option is a value.
                guard let value, !value.isEmpty, value.utf8.first != UInt8(ascii: "-") else { return nil }
            }
            options.append(Option(name: entry.name, value: value ?? ""))
        }
    }

    func has(_ entry: OptionEntry) -> Bool { options.contains { $0.name == entry.name } }

    func value(_ entry: OptionEntry) -> String? { options.first { $0.name == entry.name }?.value }

    func values(_ entry: OptionEntry) -> [String] { options.filter { $0.name == entry.name }.map(\.value) }
}
