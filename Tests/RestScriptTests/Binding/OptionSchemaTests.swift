import Platform
import Testing

/// A schema without a scripting language, read from values that are not Lua's.
struct OptionSchemaTests {
    private enum Word: String, CaseIterable {
        case one, two
    }

    private struct Inner {
        var flag = false
        var text = ""
        var word = Word.one
        var count = 0
        var seconds = 0.0
        var texts: [String] = []
    }

    private struct Whole {
        var inner = Inner()
    }

    private struct Given: OptionValues {
        var values: [String: any Sendable] = [:]

        struct WrongType: Error {}
        struct Missing: Error {}

        private func value<Value>(_ name: String, as type: Value.Type) throws -> Value? {
            guard let value = values[name] else { return nil }
            guard let value = value as? Value else { throw WrongType() }
            return value
        }

        func boolean(_ name: String) throws -> Bool? { try value(name, as: Bool.self) }
        func integer(_ name: String) throws -> Int64? { try value(name, as: Int.self).map(Int64.init) }
        func number(_ name: String) throws -> Double? { try value(name, as: Double.self) }
        func string(_ name: String) throws -> String? { try value(name, as: String.self) }
        func strings(_ name: String, _ label: String) throws -> [String]? {
            try value(name, as: [String].self)
        }
        func texts(_ name: String, example: String) throws -> [(name: String, text: String)]? {
            try value(name, as: [String: String].self)?.map { (name: $0.key, text: $0.value) }
        }
        func byteCount(_ name: String) throws -> Int? { try value(name, as: Int.self) }
        func require(_ name: String, of owner: String?) throws {
            if values[name] == nil { throw Missing() }
        }
    }

    private static let inner: [OptionField<Given, Inner>] = [
        .flag("flag", default: "false", "A flag.") { $0.flag = $1 },
        .text("path", of: .readFile, "A path.") { $0.text = $1 },
        .choice("word", Word.self, default: .one, "A word.") { $0.word = $1 },
        .count("few", from: 1, to: 9, "Few.") { $0.count = $1 },
        .count("many", from: 1, "Many.") { $0.count = $1 },
        .seconds("above", .aboveZero, "Above.") { $0.seconds = $1 },
        .seconds("zero", .zeroOrMore, "Zero.") { $0.seconds = $1 },
        .seconds("between", .between(0.1, 60), "Between.") { $0.seconds = $1 },
        .texts("texts", words: ["a", "b"], "Texts.") { values, texts in
            if let bad = texts.first(where: { $0 == "c" }) {
                throw OptionFault("is none", item: "'\(bad)'")
            }
            if texts.contains("d") { throw OptionFault(sentence: "'d' is no text") }
            values.texts = texts
        },
        .bytes("bytes", default: "\"1KiB\"", "Bytes.") { $0.count = $1 },
    ]

    private static let schema = OptionSchema<Given, Whole>(
        "some",
        inner.map { (field: OptionField<Given, Inner>) -> OptionField<Given, Whole> in
            field.within { try $1(&$0.inner) }
        })

    /// The error in the values; nil if there is none.
    private func read(_ values: [String: any Sendable], into whole: inout Whole) throws -> String? {
        for (place, read) in Self.schema.readings.enumerated() {
            do {
                try read(Given(values: values), &whole) { access, text in "\(access) \(text)" }
            } catch let fault as OptionFault { return fault.message(of: Self.schema.path(at: place)) }
        }
        return nil
    }

    @Test func `each value gets where it is kept, and what is not given stays`() throws {
        var whole = Whole()
        whole.inner.seconds = 7
        let problem = try read(
            ["flag": true, "path": "a", "word": "two", "few": 3, "texts": ["a", "b"]], into: &whole)
        #expect(problem == nil)
        #expect(whole.inner.flag && whole.inner.word == .two && whole.inner.count == 3)
        #expect(whole.inner.text == "readFile a" && whole.inner.texts == ["a", "b"])
        #expect(whole.inner.seconds == 7)
    }

    @Test(
        arguments: [
            ("word", "three", #"option 'some.word' is "one" or "two", got "three""#),
            ("few", 10, "option 'some.few' is a whole number from 1 to 9"),
            ("many", 0, "option 'some.many' is 1 or more, got 0"),
            ("above", 0.0, "option 'some.above' is a number of seconds above 0"),
            ("above", Double.infinity, "option 'some.above' is a number of seconds above 0"),
            ("zero", -1.0, "option 'some.zero' is a number of seconds, 0 or more"),
            ("between", 61.0, "option 'some.between' is a number of seconds from 0.1 to 60"),
            ("between", Double.nan, "option 'some.between' is a number of seconds from 0.1 to 60"),
            ("texts", ["c"], "'c' of 'some.texts' is none"), ("texts", ["d"], "'d' is no text"),
            (
                "bytes", -1,
                "option 'some.bytes' is a number of bytes or a text such as \"16MiB\", 1 TiB at most"
            ),
        ] as [(String, any Sendable, String)])
    func `what is out of range is said with the option's name`(
        name: String, value: any Sendable, message: String
    ) throws {
        var whole = Whole()
        #expect(try read([name: value], into: &whole) == message)
    }

    @Test func `an option that has to be there is asked for first`() throws {
        let field = OptionField<Given, Inner>.text("path", "A path.") { $0.text = $1 }.required()
        #expect(field.description.isRequired)
        var inner = Inner()
        #expect(throws: Given.Missing.self) { try field.read(Given(), &inner) { $1 } }
        try field.read(Given(values: ["path": "a"]), &inner) { $1 }
        #expect(inner.text == "a")
    }

    @Test func `people read of each what it takes`() {
        let texts = Self.schema.descriptions.map { option in
            "\(option.name): \(option.type) = \(option.standard ?? "-"): \(option.text)"
        }
        #expect(
            texts == [
                "flag: boolean = false: A flag.", "path: string = -: A path.",
                #"word: "one" | "two" = "one": A word."#, "few: integer = -: Few. 1 to 9.",
                "many: integer = -: Many. 1 or more.", "above: number = -: Above. In seconds. Above 0.",
                "zero: number = -: Zero. In seconds. 0 or more.",
                "between: number = -: Between. In seconds. 0.1 to 60.",
                #"texts: ("a" | "b")[] = -: Texts."#,
                #"bytes: integer | string = "1KiB": Bytes. In bytes. 1 TiB at most."#,
            ])
        #expect(Self.inner[0].since("9.1.0").description.text == "A flag. Since 9.1.0.")
        #expect(Self.inner[0].description.hint == "A flag. Default: `false`.")
        #expect(Self.inner[1].description.hint == "A path.")
        let few = Self.inner[3].taking(unit: "apples", "1 to 8").named("some").like("`--some`").description
        #expect(few.text == "Few. In apples. 1 to 8.")
        #expect(few.name == "some" && few.counterpart == "`--some`")
        #expect(Self.inner[3].taking().description == Self.inner[3].description)
    }
}
