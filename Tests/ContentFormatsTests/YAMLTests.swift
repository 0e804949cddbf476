import ContentFormats
import RestEngine
import Testing

struct YAMLTests {
    /// The value as JSON, or the fault.
    private func read(_ text: String, _ change: (inout YAML.Options) -> Void = { _ in }) -> String {
        var options = YAML.Options()
        change(&options)
        do throws(FormatError) { return "\(try YAML.decode(Array(text.utf8), options))" } catch {
            return "\(error)"
        }
    }

    @Test(arguments: [
        ("a: 1\nb: [x, 2.5, ~]\n", #"{"a":1,"b":["x",2.5,null]}"#),
        ("- true\n- False\n- yes\n- 'true'\n", #"[true,false,"yes","true"]"#),
        ("[0o17, 0x1F, -7, +3, 1e3, .5, 5., 1_000, 0b1]", #"[15,31,-7,3,1000.0,0.5,5.0,"1_000","0b1"]"#),
        ("[18446744073709551616, 00012, 1.e1]", "[18446744073709551616,12,10.0]"),
        ("200: ok\n'200x': no\n~: nothing\n", #"{"200":"ok","200x":"no","~":"nothing"}"#),
        ("|\n  two\n  lines\n", #""two\nlines\n""#),
        ("a: &x [1, 2]\nb: *x\n", #"{"a":[1,2],"b":[1,2]}"#),
        ("!!str 12", #""12""#), ("!!float 12", "12.0"), ("! 12", #""12""#),
        ("a: !!map {b: 1}", #"{"a":{"b":1}}"#),
        ("<<: 1", #"{"<<":1}"#), ("", "null"), ("# only a comment", "null"), ("---\n", "null"),
        ("{}", "{}"), ("? key\n: value\n", #"{"key":"value"}"#),
        ("\u{FEFF}a: 1", #"{"a":1}"#), ("2024-01-02", #""2024-01-02""#),
    ])
    func `The core schema decides what a scalar is`(text: String, json: String) {
        #expect(read(text) == json)
    }

    @Test(arguments: [
        ("a: 1\nb: 2\na: 3\n", "malformed YAML at line 3, column 1: the key 'a' occurs twice"),
        ("1: a\n'1': b\n", "malformed YAML at line 2, column 1: the key '1' occurs twice"),
        (
            "a: 1\n--- \nb: 1",
            "malformed YAML at line 2, column 1: a second document begins; the option 'documents' reads all of them"
        ),
        (
            "a: [1, 2",
            "malformed YAML at line 2, column 1: while parsing a flow sequence, did not find expected ',' or ']'"
        ),
        (
            "a: !!binary aGk=",
            "malformed YAML at line 1, column 4: the tag 'tag:yaml.org,2002:binary' isn't one of the core schema for this value"
        ),
        (
            "!mine 1",
            "malformed YAML at line 1, column 1: the tag '!mine' isn't one of the core schema for this value"
        ),
        (
            "!!int x",
            "malformed YAML at line 1, column 1: 'x' isn't what its tag 'tag:yaml.org,2002:int' says"
        ),
        (
            "!!map [1]",
            "malformed YAML at line 1, column 1: the tag 'tag:yaml.org,2002:map' isn't one of the core schema for this value"
        ),
        ("a: *b", "malformed YAML at line 1, column 4: the alias '*b' has no finished value before it"),
        ("a: &b [*b]", "malformed YAML at line 1, column 8: the alias '*b' has no finished value before it"),
        (
            "a: &b 1\n--- \nb: *b",
            "malformed YAML at line 2, column 1: a second document begins; the option 'documents' reads all of them"
        ),
        (
            "? [a]\n: 1",
            "malformed YAML at line 1, column 3: a key is a text, a number, a boolean or null, and written where it is used"
        ),
        (
            "\t- a",
            "malformed YAML at line 1, column 1: while scanning for the next token, found character that cannot start any token"
        ),
    ])
    func `A fault has its line and column`(text: String, message: String) { #expect(read(text) == message) }

    @Test func `Bytes that are not UTF-8 are a fault`() {
        #expect(throws: FormatError.self) { try YAML.decode([0x61, 0x3A, 0x20, 0xFF, 0xFE]) }
    }

    @Test func `The option documents gives a list`() {
        #expect(read("a: &x 1\n---\n- 2\n...\n") { $0.documents = true } == #"[{"a":1},[2]]"#)
        #expect(read("") { $0.documents = true } == "[]")
        // An anchor is for its document only.
        #expect(read("a: &x 1\n---\n*x\n") { $0.documents = true }.contains("no finished value"))
    }

    @Test func `Aliases of aliases end at ten times the text`() {
        var laughs = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]\n"
        for level in 1...12 {
            let aliases = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
            laughs += "a\(level): &a\(level) [\(aliases)]\n"
        }
        #expect(read(laughs).hasSuffix("its aliases copy more than ten times the size of the text"))
        let text =
            "a: &a \(String(repeating: "x", count: 2000))\nb: [\(Array(repeating: "*a", count: 2000).joined(separator: ","))]"
        #expect(read(text).hasSuffix("its aliases copy more than ten times the size of the text"))
    }

    @Test func `Depth counts through aliases`() {
        #expect(read("[[1]]") { $0.limits.depth = 2 } == "[[1]]")
        #expect(read("[[[1]]]") { $0.limits.depth = 2 }.hasSuffix("it is nested more than 2 levels deep"))
        #expect(read("- &a [[1]]\n- *a") { $0.limits.depth = 3 } == "[[[1]],[[1]]]")
        #expect(read("- &a [[1]]\n- [*a]") { $0.limits.depth = 3 }.hasSuffix("more than 3 levels deep"))
        #expect(
            read(String(repeating: "[", count: 100_000)).hasSuffix("it is nested more than 256 levels deep"))
        #expect(
            read(String(repeating: "- ", count: 100_000)).hasSuffix("it is nested more than 256 levels deep"))
    }

    @Test func `The value has a limit of bytes`() {
        #expect(
            read("[aaaaaaaaaaaaaaaaaaaa]") { $0.limits.bytes = 20 }.hasSuffix(
                "its value is larger than 20 bytes"))
        #expect(
            read(String(repeating: "%TAG !a! b\n", count: 2000)).hasSuffix(
                "more than 1000 lines begin with '%'"))
    }

    @Test(
        arguments: [
            (
                ["a": 1, "b": ["x", true, .null], "c": [:], "d": []],
                "a: 1\nb:\n  - x\n  - true\n  - null\nc: {}\nd: []\n"
            ),
            ([["a": "b c"], [1, 2]], "-\n  a: b c\n-\n  - 1\n  - 2\n"),
            (["yes": "no", "1": "2", "": " x"], "\"yes\": \"no\"\n\"1\": \"2\"\n\"\": \" x\"\n"),
            ("two\nlines: \"a\"", "\"two\\nlines: \\\"a\\\"\"\n"), (1e20, "1.0e+20\n"), (0.5, "0.5\n"),
            (.null, "null\n"),
        ] as [(Tree, String)])
    func `Block style quotes what would be read as something else`(tree: Tree, text: String) throws {
        #expect(String(decoding: try YAML.encode(tree), as: UTF8.self) == text)
        #expect(try YAML.decode(Array(text.utf8)) == tree)
    }

    @Test(arguments: [
        "\u{1F600} \u{2028}\u{85}\u{7}", "null", "~", "a: b", "a #b", "- a", "0x10", "1:30", "=", "<<", "*a",
        "&a", "!a", "%a",
        "@a", "`a`", "{", "]", "'", "\"", "\\", " lead", "trail ", "x\ty", "\u{FEFF}bom", ".inf", "1e3",
        "012", "a\r\nb",
    ])
    func `A text comes back, as value and as key`(text: String) throws {
        var builder = Tree.Builder()
        builder.object { builder in
            builder.key(text)
            builder.array { $0.string(text) }
        }
        let tree = builder.finish()
        #expect(try YAML.decode(try YAML.encode(tree)) == tree)
    }

    @Test func `A long key comes back`() throws {
        var builder = Tree.Builder()
        builder.array {
            $0.object { builder in
                builder.key(String(repeating: "long: ", count: 500))
                builder.object { inner in
                    inner.key(String(repeating: "x", count: 3000))
                    inner.int(1)
                }
            }
        }
        let tree = builder.finish()
        #expect(try YAML.decode(try YAML.encode(tree)) == tree)
    }
}
