import ArgumentParser

/// An option or a flag, in one place for the two that read command lines: ArgumentParser, from what is
/// declared with it, and ``PlainLine``.
struct OptionEntry: Sendable {
    enum Kind: Sendable {
        case flag
        /// At most one value.
        case single
        /// A value each time that it is given.
        case repeated
    }

    let kind: Kind
    /// Without its dashes: one character is a short name.
    let name: String
    let help: String
    let valueName: String

    static func flag(_ name: String, _ help: String) -> OptionEntry {
        OptionEntry(kind: .flag, name: name, help: help, valueName: "")
    }

    static func single(_ name: String, _ valueName: String, _ help: String) -> OptionEntry {
        OptionEntry(kind: .single, name: name, help: help, valueName: valueName)
    }

    static func repeated(_ name: String, _ valueName: String, _ help: String) -> OptionEntry {
        OptionEntry(kind: .repeated, name: name, help: help, valueName: valueName)
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
        self.init(name: entry.specification, help: entry.argumentHelp)
    }

    init(
        wrappedValue: [String], _ entry: OptionEntry, parsing strategy: ArrayParsingStrategy = .singleValue
    ) where Value == [String] {
        self.init(
            wrappedValue: wrappedValue, name: entry.specification, parsing: strategy, help: entry.argumentHelp
        )
    }
}

/// A command line that is nothing but words and options that a table has. ArgumentParser asks Swift's runtime
/// about types to read one, which takes longer than all that `resthost get` does after it; so a plain one
/// never gets there.
struct PlainLine {
    private struct Option {
        let name: String
        let value: String
    }

    private(set) var words: [String] = []
    private var options: [Option] = []

    /// Nil for everything that isn't plain, right or wrong: that is ArgumentParser's, and so are all
    /// complaints.
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
                // What looks like an option isn't always a value.
                guard let value, !value.isEmpty, value.utf8.first != UInt8(ascii: "-") else { return nil }
            }
            options.append(Option(name: entry.name, value: value ?? ""))
        }
    }

    func has(_ entry: OptionEntry) -> Bool { options.contains { $0.name == entry.name } }

    func value(_ entry: OptionEntry) -> String? { options.first { $0.name == entry.name }?.value }

    func values(_ entry: OptionEntry) -> [String] { options.filter { $0.name == entry.name }.map(\.value) }
}
