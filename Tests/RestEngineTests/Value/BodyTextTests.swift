import TestSupport
import Testing

@testable import RestEngine

struct BodyTextTests {
    private func text(_ bytes: [UInt8], _ type: String?, _ charset: String? = nil) throws -> String {
        try BodyText(bytes, contentType: type, charset: charset ?? type.flatMap(MediaType.charset(of:)))
            .decode()
    }

    /// `я` in KOI8-R. No other encoding reads the byte as this letter.
    private func declaring(_ head: String) -> [UInt8] { Array(head.utf8) + [0xD1] }

    @Test(arguments: [
        "text/html", "text/css", "text/csv", "text/xml", "application/xml", "text/plain", nil,
    ])
    func `18.3 D41 UTF-8 without a charset is read as UTF-8`(type: String?) throws {
        #expect(try text(Array("Grüße €".utf8), type) == "Grüße €")
        #expect(try text([0x47, 0x72, 0xFC, 0x80], type) == "Grü€", "anything else is windows-1252")
        #expect(try text([], type) == "")
    }

    @Test(
        arguments: [
            ([0xEF, 0xBB, 0xBF, 0xC3, 0xA9], "é"), ([0xFE, 0xFF, 0, 0xE9], "é"),
            ([0xFF, 0xFE, 0xE9, 0], "é"), ([0xEF, 0xBB, 0xBF], ""),
        ] as [([UInt8], String)])
    func `18.3 D41 a mark comes before the label, and is no text`(bytes: [UInt8], expected: String) throws {
        #expect(try text(bytes, "text/plain") == expected)
        #expect(try text(bytes, "text/html; charset=koi8-r") == expected)
        #expect(try text(bytes, "text/html; charset=klingon") == expected)
    }

    @Test func `18.3 D41 a mark that is not true of the bytes counts for nothing`() throws {
        #expect(try text([0xEF, 0xBB, 0xBF, 0xE9], "text/plain") == "ï»¿é")
        #expect(try text([0xFF, 0xFE, 0xD8], "text/plain") == "ÿþØ")
        #expect(try text([0xFF, 0xFE, 0, 0, 0x61, 0, 0, 0], "text/plain; charset=utf-32") == "a")
    }

    @Test(arguments: [
        "<meta charset=koi8-r>", "<META CHARSET='KOI8-R' />",
        "<!doctype html><html lang=ru><meta charset = \"koi8-r\"",
        "<!-- <meta charset=utf-8> --><meta/charset=koi8-r>", "<!--><meta charset=koi8-r>",
        "<meta http-equiv=Content-Type content='text/html; charset=koi8-r'>",
        "<meta content=\"text/html; charset=koi8-r\" http-equiv=\"content-type\">",
        "<a title='<meta charset=utf-8>'><meta name=x><meta charset=koi8-r>",
        "</p x><?y ?><meta charset=koi8-r>",
    ])
    func `18.3 D41 HTML says its charset`(head: String) throws {
        let tag = head.hasSuffix(">") ? head : head + ">"
        #expect(try text(declaring(tag), "text/html") == tag + "я")
        #expect(try text(declaring(tag), "text/html; charset=latin1") == tag + "Ñ", "the label comes first")
        #expect(try text(declaring(tag), "text/plain") == tag + "Ñ", "a plain text declares nothing")
    }

    @Test(arguments: [
        "<meta name=charset content=koi8-r>", "<meta content='text/html; charset=koi8-r'>",
        "<metax charset=koi8-r>",
        "<!-- <meta charset=koi8-r>", "<meta charset='koi8-r", "<meta charset=klingon>",
        "<meta charset=utf-8>",
        "<meta charset=utf-16>", "<meta charset=unicode>", "<meta charset>", "<meta charset=''>", "<", "<!",
        "<meta ",
        String(repeating: " ", count: 1004) + "<meta charset=koi8-r>",
    ])
    func `18.3 D41 HTML that says none, or one that is not its own`(head: String) throws {
        #expect(try text(declaring(head), "text/html") == head + "Ñ")
        #expect(try text(Array((head + "я").utf8), "text/html") == head + "я")
    }

    @Test(arguments: ["text/xml", "application/xml", "image/svg+xml", "application/atom+xml; version=1"])
    func `18.3 D41 XML says its charset`(type: String) throws {
        for head in [
            "<?xml version=\"1.0\" encoding=\"koi8-r\"?>",
            "<?xml version='1.0' encoding = 'KOI8-R' standalone='no'?>",
        ] {
            #expect(try text(declaring(head), type) == head + "я")
        }
        for head in [
            "<?xml version='1.0'?><a encoding='koi8-r'>", "<?xmlx encoding='koi8-r'?>",
            "<?xml encoding='klingon'?>",
        ] {
            #expect(try text(declaring(head), type) == head + "Ñ")
        }
        let german = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><k>Grüße</k>"
        #expect(try text(Array(german.utf8), type) == german)
    }

    @Test func `seeded: no beginning of a document is too strange`() throws {
        var random = SeededRandom(seed: 40)
        let parts = [
            "<", "meta", " ", "charset", "=", "'", "\"", ">", "/", "!--", "-->", "<?xml", "koi8-r", "é",
            "content",
        ]
        for _ in 0..<3000 {
            let document = (0..<random.int(below: 12)).map { _ in parts[random.int(below: parts.count)] }
                .joined()
            _ = try text(Array(document.utf8), "text/html")
            _ = try text(Array(("<?xml " + document).utf8), "text/xml")
        }
    }
}
