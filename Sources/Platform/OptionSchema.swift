/// The options of one table that people write, such as that of `rest.service`.
///
/// A schema stands beside the type that keeps the values, `Target`, and has one entry for each option: what
/// people read of it, and how its value is read and stored. All that knows options is made from these
/// entries: the reading, with the error for an unknown name, the Lua reference, the editors' types and
/// completion. So an option is added in one place.
///
/// Values come from `Values`: a Lua table, where that is a concrete type. A schema that leaves it open, for
/// any ``OptionValues``, belongs to no language, and its module knows none.
package struct OptionSchema<Values, Target>: Sendable {
    /// It stands before the names in messages: `transport` makes `transport.proxy`. Empty: names stand alone.
    package let name: String
    package let descriptions: [OptionDescription]
    /// Apart from the descriptions: options are read for each request.
    package let readings: [OptionField<Values, Target>.Reading]
    /// One of them has to be there.
    package let asks: Bool

    package init(_ fields: [OptionField<Values, Target>]) { self.init("", fields) }

    package init(_ name: String, _ fields: [OptionField<Values, Target>]) {
        self.name = name
        descriptions = fields.map { $0.description }
        readings = fields.map { $0.read }
        asks = fields.contains { $0.description.isRequired }
    }

    /// The name that messages give the option which `readings` has at a place.
    package func path(at place: Int) -> String {
        let option = descriptions[place].name
        return name.isEmpty ? option : "\(name).\(option)"
    }
}

/// The description of an option, for people.
package struct OptionDescription: Sendable, Equatable {
    package var name: String
    /// In the language of signatures: `string[]`, `"v4" | "v6"`, `function(draft)`. `{ ... }` in it is the
    /// table whose options ``fields`` are.
    package let type: String
    /// As a script would write it; nil where leaving the option out means that there is none.
    package var standard: String?
    /// Of numbers: `seconds`.
    package var unit: String?
    /// Which values it takes, for people: `1 or more`.
    package var limits: String?
    package let sentence: String
    package var isRequired = false
    /// The version that has it first; nil: the first of all.
    package var since: String?
    /// The same setting in another place, as Markdown: `` `--memory` ``.
    package var counterpart: String?
    package var fields: [OptionDescription] = []

    package init(_ name: String, type: String, _ sentence: String) {
        (self.name, self.type, self.sentence) = (name, type, sentence)
    }

    /// The sentence, and what else there is to say beside name, type and default.
    package var text: String {
        let facts = [unit.map { "In \($0)." }, limits.map { "\($0)." }, since.map { "Since \($0)." }]
        return ([sentence] + facts.compactMap { $0 }).joined(separator: " ")
    }

    /// The text with the default, for an editor, which shows the type beside it.
    package var hint: String { standard.map { "\(text) Default: `\($0)`." } ?? text }
}

/// Where values of options come from. Each reader gives nil for an option that isn't there, and throws for
/// one of another type.
package protocol OptionValues: SendableMetatype {
    func boolean(_ name: String) throws -> Bool?
    func integer(_ name: String) throws -> Int64?
    func number(_ name: String) throws -> Double?
    func string(_ name: String) throws -> String?
    /// A list of texts. `label` is what errors call it.
    func strings(_ name: String, _ label: String) throws -> [String]?
    /// A table of texts by name. `example`: how it is written, for the error when something else is given.
    func texts(_ name: String, example: String) throws -> [(name: String, text: String)]?
    /// A number of bytes, or a text such as `"16MiB"`.
    func byteCount(_ name: String) throws -> Int?
    /// Throws when the option isn't there. `owner` is the function that the error names; nil: as the values
    /// say.
    func require(_ name: String, of owner: String?) throws
}

/// A fault of an option's value. The reader of the table knows the option's name.
package struct OptionFault: Error {
    private let message: String
    private let item: String?
    private let namesOption: Bool

    /// - Parameters:
    ///   - message: It follows the name.
    ///   - item: The part of the value that is wrong, when it is not the whole.
    package init(_ message: String, item: String? = nil) {
        (self.message, self.item, namesOption) = (message, item, true)
    }

    /// - Parameter sentence: The whole message, which names what is wrong by itself.
    package init(sentence: String) { (message, item, namesOption) = (sentence, nil, false) }

    package static var byteCount: OptionFault {
        OptionFault("is a number of bytes or a text such as \"16MiB\", 1 TiB at most")
    }

    /// - Parameter kind: It stands before the name.
    package func message(of option: String, kind: String = "option ") -> String {
        guard namesOption else { return message }
        return item.map { "\($0) of '\(option)' \(message)" } ?? "\(kind)'\(option)' \(message)"
    }
}

/// A file, socket or proxy that an option names, and that has to be granted before it is used.
package enum OptionAccess: Sendable {
    case readFile, writeFile, database, socket, listen
    /// A file that is watched for changes.
    case watchedFile
    /// A URL that is requested.
    case request
}

/// Says how something that an option names may be used: a path of a script becomes one that the system
/// understands. Throws when it may not.
package typealias OptionGrant = (OptionAccess, String) throws -> String
