import Platform
import RestEngine
import TestSupport
import Testing

struct HashCommandTests {
    private let folder = TemporaryFolder()

    private func hash(_ input: String) async -> ChildProcess.Outcome {
        folder.write("input", input)
        return await ChildProcess(
            ["/bin/sh", "-c", "exec '\(BuiltProgram.path)' hash <input"], in: folder.path
        ).end()
    }

    @Test(arguments: ["secret\n", "secret", "secret\r\nmore\n"])
    func `the first line of a pipe is hashed`(input: String) async throws {
        let run = await hash(input)
        #expect(run.code == 0 && run.errors.isEmpty)
        let text = run.output.split(separator: "\n")
        #expect(text.count == 1)
        #expect(try PasswordHash(String(text[0])).isRight(Array("secret".utf8)))
    }

    @Test(arguments: ["", "\n", "\nsecret\n"]) func `no password is an error`(input: String) async {
        let run = await hash(input)
        #expect(run.code == 2 && run.output.isEmpty)
        #expect(run.errors.contains("a password has 1 to 512 bytes and no NUL"))
    }

    /// The typed text, and the fault that it ends with.
    @Test(arguments: [
        (["secret\n", "secret\n"], ""), (["secrex\u{7F}t\n", "nonsense\u{15}secret\r"], ""),
        (["secret\n", "other\n"], "the passwords differ"), (["sec\u{03}"], "interrupted"),
    ])
    func `a terminal shows nothing of the password`(typed: [String], fault: String) async throws {
        var terminal: Int32 = -1
        // Held open, so that a moment without another process on it is not its end.
        var other: Int32 = -1
        guard openpty(&terminal, &other, nil, nil, nil) == 0, let name = ttyname(other) else {
            Issue.record("no terminal")
            return
        }
        defer {
            close(terminal)
            close(other)
        }
        let path = String(cString: name)
        let child = ChildProcess(
            ["/bin/sh", "-c", "exec '\(BuiltProgram.path)' hash <'\(path)'"], in: folder.path)
        for (text, prompt) in zip(typed, ["Password: ", "Again: "]) {
            #expect(await child.hasReported(prompt))
            _ = write(terminal, text, text.utf8.count)
        }
        let run = await child.end()
        #expect(run.code == (fault.isEmpty ? 0 : 2))
        #expect(run.errors.contains(fault))
        if fault.isEmpty {
            #expect(try PasswordHash(String(run.output.dropLast())).isRight(Array("secret".utf8)))
        }
        // The terminal shows input again, and has shown none.
        var mode = termios()
        #expect(tcgetattr(other, &mode) == 0 && mode.c_lflag & tcflag_t(ECHO) != 0)
        _ = fcntl(terminal, F_SETFL, O_NONBLOCK)
        var shown = [UInt8](repeating: 0, count: 100)
        #expect(read(terminal, &shown, shown.count) <= 0)
    }
}
