import ContentFormats
import RestEngine
import Testing

struct BinaryTests {
    private func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.compactMap { $0.hexDigitValue.map { UInt8($0) } }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private func read(
        _ format: BinaryFormat, _ hex: String, _ change: (inout BinaryFormat.Options) -> Void = { _ in }
    ) -> String {
        var options = BinaryFormat.Options()
        change(&options)
        do throws(FormatError) { return "\(try format.decode(bytes(hex), options))" } catch {
            return "\(error)"
        }
    }

    /// RFC 8949, appendix A, as far as JSON has the value.
    @Test(arguments: [
        ("00", "0"), ("17", "23"), ("1818", "24"), ("1903e8", "1000"), ("1a000f4240", "1000000"),
        ("1b000000e8d4a51000", "1000000000000"), ("1bffffffffffffffff", "18446744073709551615"),
        ("c249010000000000000000", "18446744073709551616"), ("3bffffffffffffffff", "-18446744073709551616"),
        ("c349010000000000000000", "-18446744073709551617"), ("20", "-1"), ("3863", "-100"),
        ("3903e7", "-1000"),
        ("f90000", "0.0"), ("f93c00", "1.0"), ("fb3ff199999999999a", "1.1"), ("f93e00", "1.5"),
        ("f97bff", "65504.0"),
        ("fa47c35000", "1e+05"), ("fa7f7fffff", "3.4028234663852886e+38"),
        ("f90001", "5.960464477539063e-08"),
        ("f90400", "6.103515625e-05"), ("f9c400", "-4.0"), ("f4", "false"), ("f5", "true"), ("f6", "null"),
        ("f7", "null"),
        ("c074323031332d30332d32315432303a30343a30305a", "\"2013-03-21T20:04:00Z\""),
        ("c11a514b67b0", "1363896240"),
        ("c1fb41d452d9ec200000", "1363896240.5"), ("d74401020304", #""\u0001\u0002\u0003\u0004""#),
        ("d818456449455446", "\"dIETF\""),
        ("d82076687474703a2f2f7777772e6578616d706c652e636f6d", "\"http://www.example.com\""),
        ("40", "\"\""), ("60", "\"\""), ("6449455446", "\"IETF\""), ("62c3bc", "\"ü\""), ("80", "[]"),
        ("83010203", "[1,2,3]"),
        ("8301820203820405", "[1,[2,3],[4,5]]"), ("a0", "{}"), ("a26161016162820203", #"{"a":1,"b":[2,3]}"#),
        ("5f42010243030405ff", #""\u0001\u0002\u0003\u0004\u0005""#),
        ("7f657374726561646d696e67ff", "\"streaming\""),
        ("9fff", "[]"), ("9f018202039f0405ffff", "[1,[2,3],[4,5]]"),
        ("bf61610161629f0203ffff", #"{"a":1,"b":[2,3]}"#),
        ("bf6346756ef563416d7421ff", #"{"Fun":true,"Amt":-2}"#), ("d9d9f700", "0"),
    ])
    func `CBOR is read as RFC 8949 says`(hex: String, json: String) { #expect(read(.cbor, hex) == json) }

    @Test(arguments: [
        ("7b", "123"), ("ff", "-1"), ("d080", "-128"), ("cd03e8", "1000"),
        ("cfffffffffffffffff", "18446744073709551615"),
        ("d3ffffffff00000000", "-4294967296"), ("ca3fc00000", "1.5"), ("cb3ff199999999999a", "1.1"),
        ("c0", "null"),
        ("c3", "true"), ("a3616263", "\"abc\""), ("c403616263", "\"abc\""), ("d903616263", "\"abc\""),
        ("9201c0", "[1,null]"),
        ("dc000101", "[1]"), ("81a16101", #"{"a":1}"#), ("de0001a16101", #"{"a":1}"#),
        ("d6ff514b67b0", "1363896240"),
        ("d7ff77359400514b67b0", "1363896240.5"), ("c70cff00000000ffffffffffffffff", "-1"),
    ])
    func `MessagePack is read`(hex: String, json: String) { #expect(read(.messagePack, hex) == json) }

    @Test(arguments: [
        (BinaryFormat.cbor, "0000", "malformed CBOR at byte 1: the value ends here, and 1 bytes follow"),
        (.cbor, "", "malformed CBOR at byte 0: the value needs 1 bytes more, and there are 0"),
        (.cbor, "1a0000", "malformed CBOR at byte 0: the value needs 4 bytes more, and there are 2"),
        (.cbor, "1c", "malformed CBOR at byte 0: the byte 28 begins no value"),
        (.cbor, "1f", "malformed CBOR at byte 0: the byte 31 begins no value"),
        (.cbor, "ff", "malformed CBOR at byte 0: a break ends nothing here"),
        (.cbor, "82ff", "malformed CBOR at byte 1: a break ends nothing here"),
        (.cbor, "bf6161ff", "malformed CBOR at byte 3: a break ends nothing here"),
        (
            .cbor, "9bffffffffffffffff",
            "malformed CBOR at byte 9: the value needs 1 bytes more, and there are 0"
        ),
        (
            .cbor, "5bffffffffffffffff",
            "malformed CBOR at byte 0: the value needs 18446744073709551615 bytes more, and there are 0"
        ),
        (.cbor, "a2616101616102", "malformed CBOR at byte 4: the key 'a' occurs twice"),
        (.cbor, "a201000100", "malformed CBOR at byte 3: the key 1 occurs twice"),
        (.cbor, "a20100f93c0000", "malformed CBOR at byte 3: the key 1 occurs twice"),
        (.cbor, "a18000", "malformed CBOR at byte 1: a key is a text, a number or a boolean"),
        (.cbor, "a1f97e0000", "malformed CBOR at byte 1: a key is not a number"),
        (.cbor, "61ff", "malformed CBOR at byte 0: the text is not UTF-8"),
        (.cbor, "5f6161ff", "malformed CBOR at byte 1: the pieces of a string are strings of its kind"),
        (.cbor, "5f5f4101ffff", "malformed CBOR at byte 1: the pieces of a string are strings of its kind"),
        (.cbor, "d8ff00", "malformed CBOR at byte 0: the tag 255 is unknown"),
        (.cbor, "c001", "malformed CBOR at byte 0: the tag 0 isn't for this kind of value"),
        (.cbor, "f0", "malformed CBOR at byte 0: the simple value 16 is unknown"),
        (.messagePack, "c1", "malformed MessagePack at byte 0: the byte 0xC1 begins no value"),
        (.messagePack, "0101", "malformed MessagePack at byte 1: the value ends here, and 1 bytes follow"),
        (.messagePack, "d40500", "malformed MessagePack at byte 0: the extension type 5 is unknown"),
        (.messagePack, "d4ff00", "malformed MessagePack at byte 0: a time has 4, 8 or 12 bytes, not 1"),
        (.messagePack, "82a16101a16102", "malformed MessagePack at byte 4: the key 'a' occurs twice"),
        (
            .messagePack, "ddffffffff",
            "malformed MessagePack at byte 5: the value needs 1 bytes more, and there are 0"
        ),
        (.messagePack, "81c001", "malformed MessagePack at byte 1: a key is a text, a number or a boolean"),
    ])
    func `A fault has its byte`(format: BinaryFormat, hex: String, message: String) {
        #expect(read(format, hex) == message)
    }

    @Test func `Keys of other types make a general table`() throws {
        // {"a": 1, 2: {"b": 3}, true: 4, 1.5: 5}
        let cbor = bytes("a46161010" + "2a1616203" + "f504" + "f93e0005")
        let tree = try BinaryFormat.cbor.decode(cbor)
        #expect(tree.kind == .table && tree.count == 4)
        #expect(
            tree.entries.map { "\($0.key)=\($0.value)" } == ["\"a\"=1", "2={\"b\":3}", "true=4", "1.5=5"])
        // The engine's own check accepts what the builder made.
        #expect(Tree(checking: tree.encoded) == tree)
        #expect(try BinaryFormat.cbor.decode(try BinaryFormat.cbor.encode(tree)) == tree)
        let pack = try BinaryFormat.messagePack.encode(tree)
        #expect(try BinaryFormat.messagePack.decode(pack) == tree)
    }

    @Test func `Depth and bytes have limits`() {
        let deep = String(repeating: "81", count: 300) + "00"
        #expect(read(.cbor, deep) == "malformed CBOR at byte 257: it is nested more than 256 levels deep")
        #expect(
            read(.cbor, String(repeating: "d9d9f7", count: 300) + "00").hasSuffix("more than 256 levels deep")
        )
        let pack = String(repeating: "91", count: 300) + "00"
        #expect(
            read(.messagePack, pack)
                == "malformed MessagePack at byte 257: it is nested more than 256 levels deep")
        #expect(
            read(.messagePack, "dc0010" + String(repeating: "01", count: 16)) { $0.limits.bytes = 20 }
                .hasSuffix("its value is larger than 20 bytes"))
    }

    @Test func `A sequence is a list`() {
        #expect(
            read(.cbor, "0102616100"[...].description.dropLast(2).description) { $0.sequence = true }
                == #"[1,2,"a"]"#)
        #expect(read(.messagePack, "") { $0.sequence = true } == "[]")
    }

    @Test(
        arguments: [
            (0, "00", "00"), (24, "1818", "18"), (-1, "20", "ff"), (-33, "3820", "d0df"),
            (255, "18ff", "ccff"),
            (65536, "1a00010000", "ce00010000"), (1.5, "fa3fc00000", "ca3fc00000"),
            (1.1, "fb3ff199999999999a", "cb3ff199999999999a"),
            (.null, "f6", "c0"), (true, "f5", "c3"), ("ü", "62c3bc", "a2c3bc"), ([], "80", "90"),
            (["a": [1]], "a161618101", "81a1619101"),
        ] as [(Tree, String, String)])
    func `Values are written in their shortest form`(tree: Tree, cbor: String, pack: String) throws {
        #expect(hex(try BinaryFormat.cbor.encode(tree)) == cbor)
        #expect(hex(try BinaryFormat.messagePack.encode(tree)) == pack)
    }

    @Test(arguments: [
        "18446744073709551615", "18446744073709551616", "-9223372036854775809", "-18446744073709551616",
        "-18446744073709551617", "340282366920938463463374607431768211456",
        "-340282366920938463463374607431768211457",
        "1000000000000000000000000000000000000000000000000000000000000",
    ])
    func `Large integers come back`(digits: String) throws {
        let tree = try Tree(json: digits)
        #expect("\(try BinaryFormat.cbor.decode(try BinaryFormat.cbor.encode(tree)))" == digits)
    }

    @Test func `Strings are text if they are UTF-8`() throws {
        var builder = Tree.Builder()
        builder.string(utf8: [0xFF])
        let tree = builder.finish()
        #expect(hex(try BinaryFormat.cbor.encode(tree)) == "41ff")
        #expect(hex(try BinaryFormat.messagePack.encode(tree)) == "c401ff")
        #expect(hex(try BinaryFormat.cbor.encode(["a": "b"], binary: true)) == "a161614162")
        #expect(throws: FormatError.self) {
            try BinaryFormat.messagePack.encode(try Tree(json: "18446744073709551616"))
        }
    }
}
