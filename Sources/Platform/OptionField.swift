/// One entry of an ``OptionSchema``.
package struct OptionField<Values, Target>: Sendable {
    /// Reads the value and stores it, when there is one. An ``OptionFault`` says what is wrong with it.
    package typealias Reading = @Sendable (Values, inout Target, OptionGrant) throws -> Void

    package private(set) var description: OptionDescription
    package private(set) var read: Reading

    package init(_ description: OptionDescription, _ read: @escaping Reading) {
        (self.description, self.read) = (description, read)
    }

    /// An option of a kind of its own.
    ///
    /// - Parameter fields: Those of the table in `type`.
    package init(
        _ name: String, type: String, default standard: String? = nil, fields: [OptionDescription] = [],
        _ sentence: String, _ read: @escaping Reading
    ) {
        var description = OptionDescription(name, type: type, sentence)
        (description.standard, description.fields) = (standard, fields)
        self.init(description, read)
    }

    /// The same option of something that keeps the values in a part of itself.
    ///
    /// - Parameter part: Calls the function with that part. A key path would be slower.
    package func within<Whole>(
        _ part: @escaping @Sendable (inout Whole, (inout Target) throws -> Void) throws -> Void
    ) -> OptionField<Values, Whole> {
        let read = self.read
        return OptionField<Values, Whole>(description) { values, whole, grant in
            try part(&whole) { try read(values, &$0, grant) }
        }
    }

    /// An option that has to be there. The reader of the table reports it when it is missing.
    package func requiredAtEnd() -> Self {
        var field = self
        field.description.isRequired = true
        return field
    }

    /// - Parameter version: The first that has it.
    package func since(_ version: String) -> Self {
        var field = self
        field.description.since = version
        return field
    }

    /// Says more of the values than the kind of the option does. The reading checks them.
    package func taking(unit: String? = nil, _ limits: String? = nil) -> Self {
        var field = self
        if let unit { field.description.unit = unit }
        if let limits { field.description.limits = limits }
        return field
    }

    /// - Parameter place: Where the same is set, too, as Markdown.
    package func like(_ place: String) -> Self {
        var field = self
        field.description.counterpart = place
        return field
    }

    /// The same option under another name, for values that hold one alone and aren't asked by name.
    package func named(_ name: String) -> Self {
        var field = self
        field.description.name = name
        return field
    }
}

/// Which numbers of seconds an option takes.
package enum OptionSeconds: Sendable {
    case aboveZero, zeroOrMore
    case between(Double, Double)

    func contains(_ seconds: Double) -> Bool {
        switch self {
        case .aboveZero: seconds > 0 && seconds.isFinite
        case .zeroOrMore: seconds >= 0 && seconds.isFinite
        case .between(let least, let most): seconds >= least && seconds <= most
        }
    }

    var message: String {
        switch self {
        case .aboveZero: "is a number of seconds above 0"
        case .zeroOrMore: "is a number of seconds, 0 or more"
        case .between: "is a number of seconds from \(limits)"
        }
    }

    var limits: String {
        switch self {
        case .aboveZero: "Above 0"
        case .zeroOrMore: "0 or more"
        case .between(let least, let most): "\(Self.text(least)) to \(Self.text(most))"
        }
    }

    private static func text(_ number: Double) -> String {
        Int(exactly: number).map { "\($0)" } ?? "\(number)"
    }
}

extension OptionField where Values: OptionValues {
    package static func flag(
        _ name: String, default standard: String? = nil, _ sentence: String,
        _ store: @escaping @Sendable (inout Target, Bool) throws -> Void
    ) -> Self {
        var description = OptionDescription(name, type: "boolean", sentence)
        description.standard = standard
        return Self(description) { values, target, _ in
            if let flag = try values.boolean(name) { try store(&target, flag) }
        }
    }

    /// - Parameter access: The access that has to be granted before the text is stored.
    package static func text(
        _ name: String, default standard: String? = nil, of access: OptionAccess? = nil, _ sentence: String,
        _ store: @escaping @Sendable (inout Target, String) throws -> Void
    ) -> Self {
        var description = OptionDescription(name, type: "string", sentence)
        description.standard = standard
        return Self(description) { values, target, grant in
            guard let text = try values.string(name) else { return }
            try store(&target, access.map { try grant($0, text) } ?? text)
        }
    }

    /// One of the words that an enumeration has.
    package static func choice<Choice: RawRepresentable<String> & CaseIterable & Sendable>(
        _ name: String, _ type: Choice.Type, default standard: Choice? = nil, _ sentence: String,
        _ store: @escaping @Sendable (inout Target, Choice) throws -> Void
    ) -> Self {
        let words = Choice.allCases.map { "\"\($0.rawValue)\"" }
        var description = OptionDescription(name, type: words.plainlyJoined(" | "), sentence)
        description.standard = standard.map { "\"\($0.rawValue)\"" }
        return Self(description) { values, target, _ in
            guard let text = try values.string(name) else { return }
            guard let choice = Choice(rawValue: text) else {
                throw OptionFault("is \(words.plainlyJoined(" or ")), got \"\(text)\"")
            }
            try store(&target, choice)
        }
    }

    package static func number(
        _ name: String, default standard: String? = nil, _ sentence: String,
        _ store: @escaping @Sendable (inout Target, Double) throws -> Void
    ) -> Self {
        var description = OptionDescription(name, type: "number", sentence)
        description.standard = standard
        return Self(description) { values, target, _ in
            if let number = try values.number(name) { try store(&target, number) }
        }
    }

    /// A whole number.
    ///
    /// - Parameter message: The message for any other value, behind the name.
    package static func count(
        _ name: String, from least: Int, to most: Int? = nil, saying message: String? = nil,
        default standard: String? = nil, _ sentence: String,
        _ store: @escaping @Sendable (inout Target, Int) throws -> Void
    ) -> Self {
        var description = OptionDescription(name, type: "integer", sentence)
        description.standard = standard
        description.limits = most.map { "\(least) to \($0)" } ?? "\(least) or more"
        return Self(description) { values, target, _ in
            guard let count = try values.integer(name) else { return }
            guard count >= least, count <= most ?? .max else {
                let usual = most.map { "is a whole number from \(least) to \($0)" }
                throw OptionFault(message ?? usual ?? "is \(least) or more, got \(count)")
            }
            try store(&target, Int(count))
        }
    }

    package static func seconds(
        _ name: String, _ range: OptionSeconds, default standard: String? = nil, _ sentence: String,
        _ store: @escaping @Sendable (inout Target, Double) throws -> Void
    ) -> Self {
        var description = OptionDescription(name, type: "number", sentence)
        (description.standard, description.unit, description.limits) = (standard, "seconds", range.limits)
        return Self(description) { values, target, _ in
            guard let seconds = try values.number(name) else { return }
            guard range.contains(seconds) else { throw OptionFault(range.message) }
            try store(&target, seconds)
        }
    }

    /// A number of bytes, or a text such as `"16MiB"`.
    package static func bytes(
        _ name: String, default standard: String? = nil, _ sentence: String,
        _ store: @escaping @Sendable (inout Target, Int) throws -> Void
    ) -> Self {
        var description = OptionDescription(name, type: "integer | string", sentence)
        (description.standard, description.unit, description.limits) = (standard, "bytes", "1 TiB at most")
        return Self(description) { values, target, _ in
            guard let count = try values.byteCount(name) else { return }
            guard (0...1 << 40).contains(count) else { throw OptionFault.byteCount }
            try store(&target, count)
        }
    }

    /// A list of texts.
    ///
    /// - Parameters:
    ///   - words: The allowed texts; empty: any text.
    ///   - label: The list's name in messages; nil: its own name.
    package static func texts(
        _ name: String, words: [String] = [], label: String? = nil, default standard: String? = nil,
        _ sentence: String, _ store: @escaping @Sendable (inout Target, [String]) throws -> Void
    ) -> Self {
        let choice = words.map { "\"\($0)\"" }.plainlyJoined(" | ")
        let type = words.isEmpty ? "string[]" : "(\(choice))[]"
        var description = OptionDescription(name, type: type, sentence)
        description.standard = standard
        return Self(description) { values, target, _ in
            if let texts = try values.strings(name, label ?? name) { try store(&target, texts) }
        }
    }

    /// An option that has to be there.
    ///
    /// - Parameter owner: The function that the error names; nil: as the values say.
    package func required(of owner: String? = nil) -> Self {
        let (name, read) = (self.description.name, self.read)
        var description = self.description
        description.isRequired = true
        return Self(description) { values, target, grant in
            try values.require(name, of: owner)
            try read(values, &target, grant)
        }
    }
}
