import Platform
import RestEngine
import RestScript
import TestSupport
import Testing

@testable import resthost

struct VisibleTextTests {
    /// Characters of all kinds that move a cursor, end a line or reverse text.
    private static let hostile =
        "a\u{1B}[2Jb\u{9B}31mc\rd\0e\u{7F}f\u{85}g\u{2028}h\u{202E}i\u{2067}j\u{8}\u{7}"

    @Test func `control characters of all kinds are written out`() {
        #expect(
            VisibleText.inline(Self.hostile)
                == #"a\u{1b}[2Jb\u{9b}31mc\rd\0e\u{7f}f\u{85}g\u{2028}h\u{202e}i\u{2067}j\u{8}\u{7}"#)
        #expect(VisibleText.inline("one\ntwo\tthree ü 日 👩‍👩‍👧") == "one\\ntwo\tthree ü 日 👩‍👩‍👧")
    }

    /// The time must be linear in the length: appending to a view of scalars took minutes here.
    @Test func `a long text of control characters is written out at once`() {
        let text = String(repeating: "\u{1}\n", count: 500_000)
        #expect(VisibleText.inline(text).utf8.count == 500_000 * 7)
        #expect(VisibleText.styled(text).utf8.count == 500_000 * 6)
        #expect(VisibleText.content(Array(text.utf8)).count == 500_000 * 6)
        #expect(VisibleText.lines(text, indent: " ").utf8.count == 500_000 * 7 - 1)
    }

    @Test func `further lines of a text begin with blanks`() {
        #expect(VisibleText.lines("a\nerror b\r\n\n  c\n   d", indent: "  ") == "a\n  error b\n\n  c\n   d")
    }

    @Test func `content keeps its lines, and bytes that are no text are reported`() {
        #expect(VisibleText.content(Array("a\r\nb\rc\n".utf8)) == Array("a\nb\\rc\n".utf8))
        #expect(
            VisibleText.content([0x61, 0xFF, 0xC3, 0x0A, 0xE2, 0x82, 0x1B])
                == Array("a\\xff\\xc3\n\\xe2\\x82\\u{1b}".utf8))
        #expect(VisibleText.content(Array("naïve".utf8)) == Array("naïve".utf8))
    }

    @Test func `printable text of any kind controls no terminal`() {
        var random = SeededRandom(seed: 11)
        for _ in 0..<500 {
            let bytes = random.bytes(upTo: 80)
            let text = String(decoding: bytes, as: UTF8.self)
            let shown = [
                VisibleText.inline(text), VisibleText.styled(text),
                String(decoding: VisibleText.content(bytes), as: UTF8.self),
            ]
            for (number, shown) in shown.enumerated() {
                #expect(
                    !shown.unicodeScalars.contains {
                        number > 0 && $0 == "\n" ? false : VisibleText.isHidden($0)
                    },
                    "\(bytes)")
            }
        }
    }

    @Test func `colours of ours pass the last look, others don't`() {
        let style = Style(isColoured: true)
        let ours = style.red("a") + style.dim("b") + style.bold("c") + style.green("d") + style.yellow("e\n")
        #expect(VisibleText.styled(ours) == ours)
        #expect(
            VisibleText.styled("\u{1B}[8mhidden\u{1B}]0;title\u{7}") == #"\u{1b}[8mhidden\u{1b}]0;title\u{7}"#
        )
    }

    @Test func `JSON on a terminal stays JSON`() throws {
        let tree: Tree = ["a\u{9B}": Tree("b\u{202E}\u{7F} ü")]
        let shown = VisibleText.json(try tree.json())
        #expect(!String(decoding: shown, as: UTF8.self).unicodeScalars.contains(where: VisibleText.isHidden))
        #expect(try Tree(json: shown) == tree)
    }

    @Test func `a line of the log can't be forged`() {
        let log = LogText(style: .plain)
        let entry = ScriptLogEntry(
            level: .warn, text: "bad\nerror all is lost\u{1B}[1A",
            fields: [("us\ner", "x level=admin\r"), ("n", "1")],
            place: "ma\nin.lua:3")
        #expect(
            log.text(entry) == #"""
                warn  bad
                      error all is lost\u{1b}[1A us\ner="x level=admin\r" n=1  (ma\nin.lua:3)

                """#)
        #expect(
            EngineLogText.text(.network, "a\u{1B}\rb\nc") == #"""
                network         │ a\u{1b}\rb
                network         │ c

                """#)
    }

    @Test func `the time comes first, always with milliseconds`() {
        var log = LogText(style: .plain)
        log.clock = { 1_781_857_800 }
        #expect(
            log.text(ScriptLogEntry(level: .info, text: "x")) == "2026-06-19T08:30:00.000Z info  x\n")
        #expect(log.text(ScriptLogEntry(printed: [0x78])) == "x\n")
        #expect(log.text(ScriptLogEntry(printed: [0xE9, 0x1B, 0x0A])) == "\\xe9\\u{1b}\n")
    }

    @Test func `the journal notes the time itself where it takes what is written`() {
        var status = stat()
        #expect(fstat(2, &status) == 0)
        #expect(ServiceManager.notesTimes("\(status.st_dev):\(status.st_ino)", of: 2))
        #expect(!ServiceManager.notesTimes("\(status.st_dev):\(status.st_ino + 1)", of: 2))
        #expect(!ServiceManager.notesTimes(nil, of: 2))
    }

    @Test func `a diagnostic, an explanation and a status show what they were given`() {
        let hostile = Self.hostile + "\nmain.lua:1: error: forged"
        let diagnostic = DiagnosticText(style: .plain) { _ in ["x = \u{1B}[31m1\r"] }.text(
            Diagnostic(
                .error, hostile, file: "main.lua", line: 1, traceback: "f\u{1B}\ng\u{1B}", hint: hostile))
        let status = StatusText(style: .plain).text([
            "version": Tree(hostile), "script": Tree(hostile), "admin": Tree(hostile),
            "services": [["name": Tree(hostile), "base_url": Tree(hostile)]], "warnings": [Tree(hostile)],
        ])
        for text in [diagnostic, status] {
            #expect(!text.unicodeScalars.contains { $0 != "\n" && VisibleText.isHidden($0) }, "\(text)")
            #expect(
                text.split(separator: "\n").dropFirst().count { $0.hasPrefix("main.lua") } == 0, "\(text)")
        }
    }
}
