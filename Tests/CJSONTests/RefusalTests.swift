import RestEngine
import Testing

@Suite struct `Refusing text that is no JSON` {
    @Test(arguments: [
        ("", 0), ("  ", 2), ("\u{FEFF}", 3), ("nul", 3), ("nulx", 3), ("[1,]", 3), ("[1 2]", 3), ("[1", 2),
        ("{", 1),
        (#"{"a"}"#, 4), (#"{"a":}"#, 5), (#"{"a":1,}"#, 7), ("{1:2}", 1), (#"{"a":1 "b":2}"#, 7), ("[]]", 2),
        ("1 2", 2), ("01", 1), ("-", 1), ("1.", 2), (".5", 0), ("1e", 2), ("1e+", 3), ("+1", 0), ("NaN", 0),
        ("1e999", 0),
        (#"["a\x"]"#, 3), (#"["a"#, 1), (#"["\u12G4"]"#, 2), ("[\"a\nb\"]", 3), (#"["\ud800"]"#, 2),
        (#"["\udc00"]"#, 2),
        (#"["\ud800\u0041"]"#, 2), (#"["\ud800\ud800"]"#, 2), ("'a'", 0), ("[1,2,3}", 6), ("\u{FEFF}[1,]", 6),
        ("[\\]", 1),
        ("tru", 3), ("[true,fals]", 10), ("{\"a\":1}x", 7), ("\0", 0), ("[1]\0", 3), (#""\"#, 1),
    ])
    func `the offset is where it goes wrong`(text: String, offset: Int) {
        let error = refusal(Array(text.utf8))
        #expect(error?.offset == offset, "\(error?.description ?? "taken")")
    }

    @Test(
        arguments: [
            ([0xFF], 0), ([0x22, 0xC3, 0x22], 1), ([0x22, 0xC0, 0x80, 0x22], 1),
            ([0x22, 0xED, 0xA0, 0x80, 0x22], 1),
            ([0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], 1), ([0x22, 0x61, 0xE2, 0x82, 0x22], 2),
            ([0x22, 0x80, 0x22], 1),
            ([0xEF, 0xBB, 0xBF, 0x22, 0xFF, 0x22], 4), ([0x22, 0x22, 0xFF], 2),
            ([0x22, 0xF0, 0x80, 0x80, 0x80, 0x22], 1),
            ([0x22, 0xC3, 0xA9, 0xE0, 0x9F, 0xBF, 0x22], 3),
        ] as [([UInt8], Int)])
    func `what is not UTF-8 is refused at its first byte`(bytes: [UInt8], offset: Int) {
        let error = refusal(bytes)
        #expect(error?.code == .invalidUTF8)
        #expect(error?.offset == offset)
    }

    @Test func `the earlier of two errors is reported`() {
        #expect(refusal([0x5B, 0x2C, 0xFF])?.code == .malformed)
        #expect(refusal([0x5B, 0xFF, 0x2C])?.code == .invalidUTF8)
    }

    @Test func `an error far inside is found`() {
        let many = String(repeating: #"{"a":[1,2.5,"x"]},"#, count: 5000)
        #expect(refusal(Array("[\(many)?]".utf8))?.offset == 1 + many.utf8.count)
    }

    @Test(arguments: [1, 2, 10, 512, 1000])
    func `depth is limited`(limit: Int) throws {
        let fitting = String(repeating: "[", count: limit) + String(repeating: "]", count: limit)
        let limits = Tree.Limits(depth: limit)
        #expect(try Tree(json: Array(fitting.utf8), limits: limits).description == fitting)
        let error = refusal(Array("[\(fitting)]".utf8), limits)
        #expect(error?.code == .tooDeep)
        #expect(error?.offset == limit)
    }

    /// Small tokens take much more memory than their text. Text that parses quickly with enough memory must
    /// parse exactly without.
    @Test(arguments: ["[],", "1,", "{},", #"{"a":0},"#, "[[[]]],", "null,"])
    func `the limit of bytes holds for many small values`(piece: String) throws {
        let text = Array("[\(String(repeating: piece, count: 100_000))0]".utf8)
        let tree = try Tree(json: text)
        #expect(try Tree(json: text, limits: Tree.Limits(bytes: tree.byteCount)) == tree)
        let error = refusal(text, Tree.Limits(bytes: tree.byteCount - 1))
        #expect(error?.code == .tooLarge && error?.message == "the result is larger than the limit")
    }

    @Test func `any depth ends in an error`() {
        for opening in ["[", #"{"a":"#, #"[{"a":"#] {
            let deep = Array(String(repeating: opening, count: 100_000).utf8)
            #expect(refusal(deep)?.code == .tooDeep)
            #expect(refusal(deep, Tree.Limits(depth: .max))?.code == .tooDeep)
        }
    }

    @Test func `the size of a tree is limited`() throws {
        let text = Array("[1,2,3,\"abcdefgh\"]".utf8)
        let size = try Tree(json: text).byteCount
        #expect(try Tree(json: text, limits: Tree.Limits(bytes: size)).byteCount == size)
        for bytes in 1..<size {
            #expect(refusal(text, Tree.Limits(bytes: bytes))?.code == .tooLarge)
        }
    }

    private func refusal(_ bytes: [UInt8], _ limits: Tree.Limits = .standard) -> JSONError? {
        do {
            _ = try Tree(json: bytes, limits: limits)
            return nil
        } catch {
            return error
        }
    }
}
