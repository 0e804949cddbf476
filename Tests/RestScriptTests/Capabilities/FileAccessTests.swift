import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// rest.read_file and rest.write_file with several grants.
@Suite(.leakChecked) @EngineActor
struct FileAccessTests {
    let folder = TemporaryFolder()

    /// The output of a script in ``folder``/app.
    private func output(
        _ source: String, read: [String] = [], write: [String] = []
    ) throws -> [String] {
        let fixture = ScriptFixture()
        fixture.options.capabilities.read = .below(read.map { "\(folder.path)/\($0)" })
        fixture.options.capabilities.write = .below(write.map { "\(folder.path)/\($0)" })
        folder.write("app/main.lua", "")
        try fixture.load(source, path: "\(folder.path)/app/main.lua")
        fixture.close()
        return fixture.lines.map { $0.replacing(folder.path, with: "FOLDER") }
    }

    @Test func `a granted file is read, and a folder's files`() throws {
        folder.write("app/data/a", "x\n")
        folder.write("other/b", "y")
        #expect(try output("print(rest.read_file('data/a') == 'x\\n')", read: ["app/data"]) == ["true"])
        #expect(try output("print(rest.read_file('data/../data/a'))", read: ["app/data/a"]) == ["x\n"])
        #expect(
            try output("print(rest.read_file('\(folder.path)/other/b'))", read: ["app", "other/b"]) == ["y"])
    }

    @Test func `what is not granted is refused, and the flag is named`() throws {
        folder.write("app/secret", "x")
        folder.write("app/data/a", "x")
        let expected =
            "false\tFOLDER/app/main.lua:1: reading 'FOLDER/app/secret' is not allowed: grant it with --allow-read FOLDER/app/secret"
        let source = "print(pcall(function() rest.read_file 'secret' end))"
        #expect(try output(source) == [expected])
        #expect(try output(source, read: ["app/data"]) == [expected])
        #expect(try output(source, read: ["app/sec"]) == [expected])
        for path in ["data/../secret", "./secret", "data/../../app/secret"] {
            let lines = try output("print(pcall(rest.read_file, '\(path)'))", read: ["app/data"])
            #expect(lines.first?.hasPrefix("false\treading 'FOLDER/app/\(path)' is not allowed: ") == true)
        }
    }

    @Test func `a link counts as the place to which it leads`() throws {
        folder.write("secret", "x")
        folder.write("app/data/a", "y")
        folder.link("app/data/out", to: "\(folder.path)/secret")
        folder.link("app/in", to: "\(folder.path)/app/data")
        folder.link("app/data/up", to: "\(folder.path)")
        for path in ["data/out", "data/up/secret"] {
            let lines = try output("print(pcall(rest.read_file, '\(path)'))", read: ["app/data"])
            #expect(lines.first?.contains("is not allowed: grant it with --allow-read") == true, "\(lines)")
        }
        #expect(try output("print(rest.read_file 'in/a')", read: ["app/data"]) == ["y"])
        #expect(try output("print(rest.read_file 'data/a')", read: ["app/in"]) == ["y"])
    }

    @Test func `what can't be read is reported`() throws {
        folder.write("app/data/a", "x")
        let cases = [
            ("data/none", "nil\tcannot read 'FOLDER/app/data/none': No such file or directory"),
            ("data", "nil\tcannot read 'FOLDER/app/data': Is a directory"),
        ]
        for (path, message) in cases {
            #expect(try output("print(rest.read_file '\(path)')", read: ["app/data"]) == [message])
        }
        #expect(
            try output("print(pcall(rest.read_file, 'data/a\\0b'))", read: ["app/data"]).first?.contains(
                "is not allowed") == true)
        let pipes = Capabilities.Paths.all
        let fixture = ScriptFixture()
        fixture.options.capabilities.read = pipes
        try fixture.load("print(rest.read_file '/dev/zero') print(rest.read_file '/nowhere/x')")
        fixture.close()
        #expect(
            fixture.lines == [
                "nil\tcannot read '/dev/zero': it is not a regular file",
                "nil\tcannot read '/nowhere/x': No such file or directory",
            ])
    }

    @Test func `a file is written whole, or not at all`() throws {
        folder.write("app/out/old", "old")
        let lines = try output(
            """
            print(rest.write_file("out/old", "new"), rest.write_file("out/made", "a\\0b"))
            print(rest.read_file "out/old", #rest.read_file "out/made")
            print(rest.write_file("out/none/x", ""))
            print(rest.write_file("out", ""))
            """, read: ["app/out"], write: ["app/out"])
        #expect(
            lines == [
                "true\ttrue", "new\t3",
                "nil\tcannot write 'FOLDER/app/out/none/x': No such file or directory",
                "nil\tcannot write 'FOLDER/app/out': it is not a regular file",
            ])
        #expect(folder.names(in: "app/out") == ["made", "old"])
        folder.remove("app/out/made")
    }

    @Test func `nothing is written outside of what is granted`() throws {
        folder.write("secret", "x")
        folder.write("app/out/a", "")
        folder.link("app/out/link", to: "\(folder.path)/secret")
        folder.link("app/out/up", to: folder.path)
        for path in [
            "../secret", "out/../../secret", "out/link", "out/up/new", "main.lua", "out/resthost.toml",
        ] {
            let lines = try output("print(pcall(rest.write_file, '\(path)', 'y'))", write: ["app/out"])
            #expect(lines.first?.contains("' is not allowed: ") == true, "\(path): \(lines)")
        }
        #expect(try output("print(rest.read_file '../secret')", read: ["secret"]) == ["x"])
    }
}
