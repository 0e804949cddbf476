import ContentFormats
import RestEngine
import Testing

struct CSVTests {
    private func read(_ text: String, _ change: (inout CSV.Options) -> Void = { _ in }) -> String {
        var options = CSV.Options()
        change(&options)
        do throws(FormatError) { return "\(try CSV.decode(Array(text.utf8), options))" } catch {
            return "\(error)"
        }
    }

    @Test(arguments: [
        ("a,b\r\n1,2\r\n", #"[{"a":"1","b":"2"}]"#), ("a,b\n1,2", #"[{"a":"1","b":"2"}]"#),
        ("a,b\r1,2\r", #"[{"a":"1","b":"2"}]"#),
        ("a,b\n\"1,\"\"2\"\"\",\"x\r\ny\"\n", #"[{"a":"1,\"2\"","b":"x\r\ny"}]"#),
        ("\u{FEFF}a\n1\n", #"[{"a":"1"}]"#), ("a,b\n,\n", #"[{"a":"","b":""}]"#), ("a,b\n", "[]"), ("", "[]"),
        ("a\n\n1\n\n", #"[{"a":"1"}]"#), ("a\n\"\"\n", #"[{"a":""}]"#), (",b\n1,2\n", #"[{"":"1","b":"2"}]"#),
        ("a\n x \n", #"[{"a":" x "}]"#), ("a\n\"1\"", #"[{"a":"1"}]"#), ("é\nü\n", #"[{"é":"ü"}]"#),
    ])
    func `Rows are tables by the names of the first`(text: String, json: String) {
        #expect(read(text) == json)
        // The same in pieces of one byte.
        let reader = CSVReader(CSV.Options())
        var builder = Tree.Builder()
        builder.beginArray()
        #expect(throws: Never.self) {
            for byte in text.utf8 { try reader.read([byte], into: &builder) }
            try reader.finish(into: &builder)
        }
        builder.end()
        #expect("\(builder.finish())" == json)
    }

    @Test(arguments: [
        ("a,b\n1,2\n3\n", "malformed CSV in row 3: it has 1 fields, and the first row 2"),
        ("a\n\n\n1,2\n", "malformed CSV in row 2, line 4: it has 2 fields, and the first row 1"),
        ("a,a\n", "malformed CSV in row 1: two columns have the name 'a'"),
        ("a\nx\"y\n", "malformed CSV in row 2: field 1 has a quote, but doesn't begin with one"),
        ("a\n\"x\"y\n", "malformed CSV in row 2: field 1 goes on behind its closing quote"),
        ("a\n\"x\n\n", "malformed CSV in row 2: a quote has no end"),
    ])
    func `A fault has its row`(text: String, message: String) { #expect(read(text) == message) }

    @Test func `Options change the reading`() {
        #expect(read("1,2\n") { $0.header = .none } == #"[["1","2"]]"#)
        #expect(
            read("1\t2\n") { ($0.header, $0.separator) = (.names(["x", "y"]), 9) } == #"[{"x":"1","y":"2"}]"#)
        #expect(read("a,b\n1\n1,2,3\n") { $0.ragged = true } == #"[{"a":"1"},{"a":"1","b":"2","3":"3"}]"#)
        let types: [String: CSV.Kind] = ["a": .number, "b": .integer, "c": .boolean]
        #expect(
            read("a,b,c\n1.5,2,TRUE\n1e3,-3,0\n,,\n") { $0.types = types }
                == #"[{"a":1.5,"b":2,"c":true},{"a":1000.0,"b":-3,"c":false},{"a":null,"b":null,"c":null}]"#)
        #expect(read("5,x") { ($0.header, $0.types) = (.none, ["1": .integer]) } == #"[[5,"x"]]"#)
        #expect(
            read("a,b,c\n1,2.5,\n") { $0.types = types }
                == "malformed CSV in row 2: '2.5' in column 'b' is no integer")
        #expect(
            read("a\n") { $0.types = ["b": .number] }
                == "malformed CSV in row 1: no column has the name 'b', whose type is given")
    }

    @Test func `A row has a limit`() {
        #expect(
            read("a\n\"" + String(repeating: "x\n", count: 1000)) { $0.rowBytes = 500 }
                .hasSuffix("the row is larger than 500 bytes: is a quote missing?"))
        #expect(
            read(String(repeating: ",", count: 1000)) { $0.rowBytes = 500 }.contains("larger than 500 bytes"))
        #expect(
            read("a\n" + String(repeating: "1\n", count: 1000)) { $0.limits.bytes = 500 }
                .hasSuffix("its value is larger than 500 bytes"))
    }

    @Test(
        arguments: [
            ([["a": 1, "b": "x,y"], ["a": .null]], nil, "a,b\r\n1,\"x,y\"\r\n,\r\n"),
            ([["a": 1, "b": 2]], ["b"], "b\r\n2\r\n"),
            ([[1, "two"], [3, " 4"]], nil, "1,two\r\n3,\" 4\"\r\n"),
            ([[""], ["a\"b"]], nil, "\"\"\r\n\"a\"\"b\"\r\n"), ([], ["a", "b"], "a,b\r\n"), ([], nil, ""),
        ] as [(Tree, [String]?, String)])
    func `Rows are written`(rows: Tree, header: [String]?, text: String) throws {
        #expect(String(decoding: try CSV.encode(rows, header: header), as: UTF8.self) == text)
    }

    @Test(
        arguments: [
            (
                [["a": 1], ["b": 2]],
                "row 2 has the field 'b', which the first row lacks: name the columns in 'header'"
            ),
            ([[1], [1, 2]], "row 2 has 2 fields, and the first row 1"),
            ([["a": [1]]], "column 'a' of row 1 is a table that has no text"),
            ([["a": 1], [1]], "row 2 has no names, and the first has"),
            ([1], "row 1 is a number, not a table"),
            ("x", "the rows are a list"),
        ] as [(Tree, String)])
    func `Rows that have no text are a fault`(rows: Tree, message: String) {
        let error = #expect(throws: FormatError.self) { try CSV.encode(rows) }
        #expect(error?.description == message)
    }
}

struct JSONLinesReaderTests {
    private func read(_ pieces: [String], lineBytes: Int = 100) -> String {
        var options = JSONLinesReader.Options()
        options.lineBytes = lineBytes
        let reader = JSONLinesReader(options)
        var builder = Tree.Builder()
        builder.beginArray()
        do throws(FormatError) {
            for piece in pieces { try reader.read(Array(piece.utf8), into: &builder) }
            try reader.finish(into: &builder)
        } catch { return "\(error)" }
        builder.end()
        return "\(builder.finish())"
    }

    @Test func `Lines come in pieces`() {
        #expect(read(["{\"a\":1}\n{\"a", "\":2}\r\n\n", "  \n3"]) == #"[{"a":1},{"a":2},3]"#)
        #expect(read([]) == "[]")
        #expect(read(["1\n", "2\n[\n"]).hasPrefix("malformed JSON at line 3, column"))
        #expect(
            read(["[1,", "2,3]"], lineBytes: 5)
                == "malformed JSON at line 1, column 1: the line is larger than 5 bytes")
    }
}
