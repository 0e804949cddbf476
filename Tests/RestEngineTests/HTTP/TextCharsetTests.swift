import TestSupport
import Testing

@testable import RestEngine

struct TextCharsetTests {
    @Test(
        arguments: [
            ("utf-8", "é箪💣", [0xC3, 0xA9, 0xE7, 0xAE, 0xAA, 0xF0, 0x9F, 0x92, 0xA3]), ("UTF8", "a", [0x61]),
            ("us-ascii", "a", [0x61]), ("ISO-8859-1", "é\u{0}ÿ", [0xE9, 0, 0xFF]), ("latin1", "é", [0xE9]),
            ("EUC-JP", "箪", [0xC3, 0xBD]), ("euc-jp", "a箪", [0x61, 0xC3, 0xBD]),
            ("shift_jis", "あ", [0x82, 0xA0]),
            ("windows-1252", "€", [0x80]), ("utf-16be", "💣", [0xD8, 0x3D, 0xDC, 0xA3]),
            ("utf-16le", "a", [0x61, 0]), ("iso-8859-15", "€", [0xA4]), ("koi8-r", "я", [0xD1]),
            ("euc-jp", "", []),
        ] as [(String, String, [UInt8])])
    func `18.3 6.4 both ways`(charset: String, text: String, bytes: [UInt8]) throws {
        let coding = try #require(TextCharset(charset))
        #expect(coding.decode(bytes) == text)
        #expect(coding.encode(text) == bytes)
    }

    @Test func `18.3 a stateful charset ends in its first state`() throws {
        let coding = try #require(TextCharset("iso-2022-jp"))
        let bytes: [UInt8] = [0x1B, 0x24, 0x42, 0x24, 0x22, 0x1B, 0x28, 0x42]
        #expect(coding.encode("あ") == bytes)
        #expect(coding.decode(bytes) == "あ")
    }

    @Test(
        "18.3: UTF-16 and UTF-32 are big-endian, unless a mark says otherwise",
        arguments: [
            ("utf-16", [0xD8, 0x3D, 0xDC, 0xA3], "💣"), ("UTF-16", [0xFE, 0xFF, 0xD8, 0x3D, 0xDC, 0xA3], "💣"),
            ("utf-16", [0xFF, 0xFE, 0x3D, 0xD8, 0xA3, 0xDC], "💣"), ("utf-32", [0, 0, 0, 0x61], "a"),
            ("UTF-32", [0xFF, 0xFE, 0, 0, 0x61, 0, 0, 0], "a"), ("utf-16", [], ""),
        ] as [(String, [UInt8], String)])
    func byteOrder(charset: String, bytes: [UInt8], text: String) throws {
        #expect(try #require(TextCharset(charset)).decode(bytes) == text)
    }

    @Test("6.4: text in UTF-16 can be read back")
    func utf16() throws {
        let coding = try #require(TextCharset("utf-16"))
        let bytes = try #require(coding.encode("é💣"))
        #expect(coding.decode(bytes) == "é💣")
    }

    @Test(arguments: ["", "klingon", "utf-8//IGNORE", "utf-8/", "utf 8", "utf-8\u{0}", "é", "\n"])
    func `18.3 unknown charsets`(charset: String) {
        #expect(TextCharset(charset) == nil)
    }

    @Test(
        arguments: [
            ("utf-8", [0xFF]), ("utf-8", [0xC0, 0x80]), ("utf-8", [0xED, 0xA0, 0x80]),
            ("utf-8", [0xE7, 0xAE]),
            ("euc-jp", [0xC3]), ("euc-jp", [0xFF, 0xFF]), ("utf-16be", [0xD8, 0x3D]),
            ("utf-16be", [0xDC, 0xA3, 0, 0x61]), ("utf-16be", [0]),
        ] as [(String, [UInt8])])
    func `18.3 bytes that are not of the charset`(charset: String, bytes: [UInt8]) throws {
        #expect(try #require(TextCharset(charset)).decode(bytes) == nil)
    }

    @Test(arguments: [("us-ascii", "é"), ("iso-8859-1", "€"), ("euc-jp", "💣"), ("windows-1252", "箪")])
    func `6.4 text that the charset can't express`(charset: String, text: String) throws {
        #expect(try #require(TextCharset(charset)).encode(text) == nil)
    }

    @Test func `18.3 every byte is windows-1252`() throws {
        let bytes = [UInt8](0...255)
        let coding = try #require(TextCharset("windows-1252"))
        let text = try #require(coding.decode(bytes))
        #expect(coding.encode(text) == bytes)
        #expect(text.unicodeScalars.count == 256 && text.contains("€\u{81}‚") && text.contains("žŸ\u{A0}"))
    }

    @Test(arguments: ["iso-8859-1", "latin1", "us-ascii", "ascii", "cp1252"])
    func `18.3 D41 other names under which windows-1252 is sent`(name: String) throws {
        #expect(try #require(TextCharset(name)).decode([0x80, 0xE9, 0x9F]) == "€éŸ")
    }

    @Test func `seeded: what decodes encodes to something that decodes the same`() throws {
        var random = SeededRandom(seed: 8)
        let codings = try ["utf-8", "euc-jp", "shift_jis", "utf-16be", "iso-2022-jp", "big5"].map {
            try #require(TextCharset($0))
        }
        for _ in 0..<3000 {
            let bytes = random.bytes(upTo: 12)
            let coding = codings[random.int(below: codings.count)]
            guard let text = coding.decode(bytes), let again = coding.encode(text) else { continue }
            #expect(coding.decode(again) == text)
        }
    }
}
