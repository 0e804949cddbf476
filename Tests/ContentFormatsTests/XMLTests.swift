import ContentFormats
import RestEngine
import Testing

struct XMLTests {
    private func read(_ text: String, _ change: (inout XML.Options) -> Void = { _ in }) -> String {
        var options = XML.Options()
        change(&options)
        do throws(FormatError) { return "\(try XML.decode(Array(text.utf8), options))" } catch {
            return "\(error)"
        }
    }

    @Test(arguments: [
        ("<a/>", #"{"name":"a","attributes":{},"children":[],"text":""}"#),
        (
            "<?xml version='1.0'?><a x='1' y=\"&lt;&#65;\">t<!-- c --><![CDATA[<&]]></a>",
            #"{"name":"a","attributes":{"x":"1","y":"<A"},"children":[],"text":"t<&"}"#
        ),
        (
            "<a>\n  <b>1</b>\n</a>",
            #"{"name":"a","attributes":{},"children":[{"name":"b","attributes":{},"children":[],"text":"1"}],"text":""}"#
        ),
        (
            "<p>one <b>two</b> three</p>",
            #"{"name":"p","attributes":{},"children":[{"name":"b","attributes":{},"children":[],"text":"two"}],"text":"one  three"}"#
        ),
        (
            "<x:a xmlns:x='urn:x' x:b='1' c='2' xml:lang='en'/>",
            #"{"name":"a","namespace":"urn:x","attributes":{"{urn:x}b":"1","c":"2","{http://www.w3.org/XML/1998/namespace}lang":"en"},"children":[],"text":""}"#
        ),
        (
            "<!DOCTYPE a SYSTEM 'http://127.0.0.1/a.dtd'><a/>",
            #"{"name":"a","attributes":{},"children":[],"text":""}"#
        ),
        ("\u{FEFF}<a> </a>", #"{"name":"a","attributes":{},"children":[],"text":" "}"#),
    ])
    func `An element is a table`(text: String, json: String) { #expect(read(text) == json) }

    @Test func `Mixed keeps the pieces of text`() {
        #expect(
            read("<p>one <b/>\n<![CDATA[two]]></p>") { $0.mixed = true }
                == #"{"name":"p","attributes":{},"children":["one ",{"name":"b","attributes":{},"children":[],"text":""},"\ntwo"],"text":"one \ntwo"}"#
        )
    }

    @Test(arguments: [
        ("<a>", "malformed XML at line 1, column 4: no element found"),
        ("<a>\n<b></a>", "malformed XML at line 2, column 6: mismatched tag"),
        ("", "malformed XML at line 1, column 1: no element found"),
        ("<a/><b/>", "malformed XML at line 1, column 5: junk after document element"),
        ("<a x='1' x='2'/>", "malformed XML at line 1, column 10: duplicate attribute"),
        ("<x:a/>", "malformed XML at line 1, column 1: unbound prefix"),
        ("<a>&nbsp;</a>", "malformed XML at line 1, column 4: undefined entity"),
        (
            "<!DOCTYPE a SYSTEM 'u'><a>&nbsp;</a>",
            "malformed XML at line 1, column 27: the entity 'nbsp' isn't defined"
        ),
        ("<a>\u{1}</a>", "malformed XML at line 1, column 4: not well-formed (invalid token)"),
        ("<?xml version='1.0' encoding='mine'?><a/>", "malformed XML at line 1, column 31: unknown encoding"),
    ])
    func `A fault has its line and column`(text: String, message: String) { #expect(read(text) == message) }

    /// The attacks of the OWASP cheat sheet on XML: they all need a document type that declares something.
    @Test(arguments: [
        "<!ENTITY lol 'lol'><!ENTITY lol1 '&lol;&lol;&lol;'><!ENTITY lol2 '&lol1;&lol1;'>",
        "<!ENTITY a '\(String(repeating: "a", count: 50_000))'>",
        "<!ENTITY xxe SYSTEM 'file:///etc/passwd'>",
        "<!ENTITY xxe SYSTEM 'http://127.0.0.1:1/'>",
        "<!ENTITY % dtd SYSTEM 'http://127.0.0.1:1/evil.dtd'> %dtd;",
        "<!ENTITY % a '<!ENTITY &#37; b SYSTEM \"file:///dev/random\">'> %a; %b;",
        "<!ATTLIST a b CDATA '\(String(repeating: "a", count: 50_000))'>",
        "<!ELEMENT a (#PCDATA)>", "<!ENTITY a '&b;'><!ENTITY b '&a;'>",
    ])
    func `A document type that declares something is refused`(declarations: String) {
        let message = read("<!DOCTYPE a [\(declarations)]>\n<a>&lol2;&a;&xxe;</a>")
        #expect(
            message
                == "malformed XML at line 1, column 1: the DOCTYPE of 'a' declares entities or elements, which is refused"
                || message.contains("is refused"))
    }

    @Test func `Depth, nodes and bytes have limits`() {
        #expect(
            read(String(repeating: "<a>", count: 300)).hasSuffix("it is nested more than 256 levels deep"))
        #expect(
            read("<a><b><c/></b></a>") { $0.limits.depth = 2 }.hasSuffix("nested more than 2 levels deep"))
        #expect(
            read("<a x='1'><b/></a>") { $0.nodes = 2 }.hasSuffix("it has more than 2 elements and attributes")
        )
        #expect(
            read("<a>\(String(repeating: "x", count: 200))</a>") { $0.limits.bytes = 100 }
                .hasSuffix("its value is larger than 100 bytes"))
    }

    @Test func `Other charsets are decoded`() throws {
        let latin =
            Array("<?xml version='1.0' encoding='windows-1252'?><a>".utf8) + [0x80] + Array("</a>".utf8)
        #expect(try XML.decode(latin)["text"]?.string == "\u{20AC}")
        let utf16: [UInt8] = [0xFE, 0xFF] + "<a>é</a>".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        #expect(try XML.decode(utf16)["text"]?.string == "é")
        #expect(throws: FormatError.self) { try XML.decode(Array("<a>".utf8) + [0xFF] + Array("</a>".utf8)) }
    }

    // MARK: Writing

    @Test(
        arguments: [
            (["name": "a"], "<a/>"), (["name": "a", "text": "<&>\r"], "<a>&lt;&amp;&gt;&#13;</a>"),
            (
                ["name": "a", "text": 1.5, "attributes": ["b": true, "c": "\"\n"]],
                "<a b=\"true\" c=\"&quot;&#10;\">1.5</a>"
            ),
            (["name": "a", "text": "t", "children": [["name": "b"]]], "<a>t<b/></a>"),
            (["name": "a", "text": "t", "children": ["x", ["name": "b"], "y"]], "<a>x<b/>y</a>"),
            (
                [
                    "name": "a", "namespace": "urn:x",
                    "children": [["name": "b", "namespace": "urn:x"], ["name": "c"]],
                ],
                "<a xmlns=\"urn:x\"><b/><c xmlns=\"\"/></a>"
            ),
            (
                [
                    "name": "a",
                    "attributes": ["{urn:x}b": "1", "{http://www.w3.org/XML/1998/namespace}lang": "en"],
                ],
                "<a xmlns:n1=\"urn:x\" n1:b=\"1\" xml:lang=\"en\"/>"
            ),
        ] as [(Tree, String)])
    func `An element is written`(tree: Tree, text: String) throws {
        #expect(String(decoding: try XML.encode(tree), as: UTF8.self) == text)
        let again = try XML.encode(try XML.decode(Array(text.utf8)))
        _ = try XML.decode(again)
    }

    @Test(
        arguments: [
            ([:], "an element is a table with a name, as in { name = \"item\" }"),
            (["name": "a b"], "'a b' can't name an element"),
            (["name": "a:b"], "'a:b' can't name an element"),
            (["name": "a", "child": []], "the element 'a' has the unknown field 'child'"),
            (
                ["name": "a", "text": "\u{1}"],
                "the text of 'a' has a control character, which XML can't contain"
            ),
            (["name": "a", "attributes": ["1": "x"]], "'1' can't name an attribute of 'a'"),
            (["name": "a", "attributes": ["xmlns": "x"]], "'xmlns' can't name an attribute of 'a'"),
            (
                ["name": "a", "attributes": ["b": []]],
                "the attribute 'b' of 'a' is a string, a number or a boolean, not a table"
            ),
            (["name": "a", "children": "b"], "the children of 'a' are a list"),
            (["name": "a", "children": [1]], "an element is a table with a name, as in { name = \"item\" }"),
        ] as [(Tree, String)])
    func `A value that is no element is a fault`(tree: Tree, message: String) {
        let error = #expect(throws: FormatError.self) { try XML.encode(tree) }
        #expect(error?.description == message)
    }

    // MARK: Paths

    @Test(arguments: [
        ("a", "1 child:a"), ("a/b", "2"), ("//a", "1 deep"), ("*", "any"), ("@x", "attribute x"),
    ])
    func `Paths have the known steps`(path: String, _: String) throws { _ = try XMLPath(path) }

    @Test(arguments: [
        "", "/a", "a/", "a//", "..", "a/..", "a[", "a[0]", "a[@x=1]", "a[@x='1]", "a|b", "a[text()]", "x:a",
        "@*", "@x/a",
        "a b", "{urn", String(repeating: "a/", count: 61) + "a", "a[position()<2]",
    ])
    func `Another path is refused`(path: String) {
        #expect(throws: XMLPath.Fault.self) { try XMLPath(path) }
    }
}
