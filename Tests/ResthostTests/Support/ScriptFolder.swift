import Platform
import RestEngine
import TestSupport
import Testing

/// A folder with one script, `main.lua`, and the program run in it.
final class ScriptFolder {
    private let folder = TemporaryFolder()

    /// The script's first line defines `rest`, so its own text begins in line 2.
    init(_ script: String) {
        folder.write("main.lua", "local rest = require \"resthost\"\n" + script + "\n")
    }

    var path: String { folder.path }

    func write(_ text: String, to name: String) { folder.write(name, text) }

    /// The names of its files.
    var names: [String] { folder.names(in: ".") }

    func text(of name: String) -> String? {
        (try? WholeFile.read("\(path)/\(name)", limit: 1 << 20)).map { String(decoding: $0, as: UTF8.self) }
    }

    func run(_ arguments: String...) async -> ChildProcess.Outcome {
        await ChildProcess([BuiltProgram.path] + arguments, in: path).end()
    }

    /// The folder must outlive the program.
    func start(_ arguments: String...) -> ChildProcess {
        ChildProcess([BuiltProgram.path] + arguments, in: path)
    }

    /// A folder with a service at this base URL.
    static func service(at address: String, _ more: String = "") -> ScriptFolder {
        ScriptFolder("local api = rest.service { name = \"api\", base_url = \"\(address)\" }\n" + more)
    }
}

/// A folder for the admin sockets of one test, for `XDG_RUNTIME_DIR`.
final class RuntimeFolder {
    private let folder = TemporaryFolder()

    var path: String { folder.path }

    /// The names of the sockets in it.
    var sockets: [String] { folder.names(in: "resthost") }

    deinit {
        for name in sockets { unlink("\(path)/resthost/\(name)") }
        rmdir(path + "/resthost")
    }
}
