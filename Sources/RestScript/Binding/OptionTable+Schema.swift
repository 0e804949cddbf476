package import LuaRuntime
import Platform

/// A schema whose values a script gives.
typealias ScriptSchema<Target> = OptionSchema<OptionTable, Target>

/// One of its entries.
typealias ScriptOption<Target> = OptionField<OptionTable, Target>

extension OptionTable {
    /// Reads the options in the order of the schema. One that it doesn't have is an error.
    ///
    /// - Parameter allowingItems: The table may have items beside its options.
    func read<Target>(
        _ schema: ScriptSchema<Target>, into target: inout Target, allowingItems: Bool = false,
        grant: OptionGrant = { _, text in text }
    ) throws {
        if table == nil, !schema.asks { return }
        for (place, read) in schema.readings.enumerated() {
            do { try read(self, &target, grant) } catch let fault as OptionFault {
                throw LuaUsageError(fault.message(of: schema.path(at: place)))
            }
        }
        try finish(allowingItems: allowingItems)
    }
}

extension OptionTable: OptionValues {
    package func strings(_ name: String, _ label: String) throws -> [String]? {
        guard let place = try table(name) else { return nil }
        defer { lua.pop() }
        return try lua.strings(place, label)
    }

    package func texts(_ name: String, example: String) throws -> [(name: String, text: String)]? {
        guard let place = try table(name) else { return nil }
        defer { lua.pop() }
        var texts: [(name: String, text: String)] = []
        try lua.forEachPair(place) { lua in
            guard lua.type(-2) == .string, lua.type(-1) == .string, let name = lua.string(-2),
                let text = lua.string(-1)
            else { throw OptionFault("has texts: \(example)") }
            texts.append((name, text))
        }
        return texts
    }

    package func byteCount(_ name: String) throws -> Int? {
        guard let place = value(name) else { return nil }
        defer { lua.pop() }
        let isText = lua.type(place) == .string
        let count =
            isText
            ? lua.string(place).flatMap { ByteCount($0) }?.bytes : lua.integer(place).map { Int($0) }
        guard let count else { throw OptionFault.byteCount }
        return count
    }

    package func require(_ name: String, of owner: String?) throws {
        guard value(name) != nil else { throw missing(name, of: owner) }
        lua.pop()
    }
}

extension OptionField where Values == OptionTable {
    /// A text whose length is checked before it is copied.
    static func text(
        _ name: String, _ limit: TextLimit, default standard: String? = nil, _ sentence: String,
        _ store: @escaping @Sendable (inout Target, String) throws -> Void
    ) -> Self {
        var description = OptionDescription(name, type: "string", sentence)
        description.standard = standard
        description.limits = "\(Platform.ByteCount.text(limit.bytes)) at most"
        return Self(description) { options, target, _ in
            if let text = try options.text(name, limit) { try store(&target, text) }
        }
    }

    /// A list of texts, or one text alone.
    static func oneOrMore(
        _ name: String, default standard: String? = nil, _ sentence: String,
        _ store: @escaping @Sendable (inout Target, [String]) throws -> Void
    ) -> Self {
        Self(name, type: "string | string[]", default: standard, sentence) { options, target, _ in
            guard let place = options.value(name) else { return }
            defer { options.lua.pop() }
            try store(&target, options.lua.string(place).map { [$0] } ?? options.lua.strings(place, name))
        }
    }

    /// A value that is read after all options. It stays on the stack, and its index is stored.
    ///
    /// - Parameter isTable: Only a table is accepted.
    static func place(
        _ name: String, type: String, isTable: Bool = false, fields: [OptionDescription] = [],
        _ sentence: String, _ store: @escaping @Sendable (inout Target, Int32) throws -> Void
    ) -> Self {
        Self(name, type: type, fields: fields, sentence) { options, target, _ in
            if let place = isTable ? try options.table(name) : options.value(name) {
                try store(&target, place)
            }
        }
    }

    /// A table of options inside this one, whose values are kept beside its own.
    ///
    /// - Parameter check: Runs when they have all been read.
    static func table(
        _ name: String, _ schema: ScriptSchema<Target>, _ sentence: String,
        _ check: @escaping @Sendable (Target) throws -> Void = { _ in }
    ) -> Self {
        Self(name, type: "{ ... }", fields: schema.descriptions, sentence) { options, target, grant in
            guard let inner = try options.options(name) else { return }
            defer { inner.lua.pop() }
            try inner.read(schema, into: &target, grant: grant)
            try check(target)
        }
    }

    /// A table of options inside this one.
    ///
    /// - Parameter start: Makes the value that the options of the inner table change.
    static func table<Inner>(
        _ name: String, _ schema: ScriptSchema<Inner>, from start: @escaping @Sendable () -> Inner,
        _ sentence: String, _ store: @escaping @Sendable (inout Target, Inner) throws -> Void
    ) -> Self {
        Self(name, type: "{ ... }", fields: schema.descriptions, sentence) { options, target, grant in
            guard let inner = try options.options(name) else { return }
            defer { inner.lua.pop() }
            var value = start()
            try inner.read(schema, into: &value, grant: grant)
            try store(&target, value)
        }
    }

    /// A list of tables of options.
    static func tables<Inner>(
        _ name: String, _ schema: ScriptSchema<Inner>, from start: @escaping @Sendable () -> Inner,
        _ sentence: String, _ store: @escaping @Sendable (inout Target, [Inner]) throws -> Void
    ) -> Self {
        Self(name, type: "{ ... }[]", fields: schema.descriptions, sentence) { options, target, grant in
            let items = try options.items(name) { item in
                var value = start()
                try item.read(schema, into: &value, grant: grant)
                return value
            }
            if let items { try store(&target, items) }
        }
    }
}
