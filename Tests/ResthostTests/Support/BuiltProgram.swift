import Platform
import RestEngine
import Testing

/// The program that was built with these tests.
enum BuiltProgram {
    /// The test bundle, or on macOS a helper with the bundle's path as an argument, runs from the build's
    /// folder, wherever `--scratch-path` puts it.
    static let path: String = {
        for argument in CommandLine.arguments {
            var folder = Substring(argument)
            while let slash = folder.lastIndex(of: "/") {
                folder = folder[..<slash]
                let candidate = folder + "/resthost"
                if isProgram(String(candidate)) { return absolute(String(candidate)) }
            }
        }
        preconditionFailure("no resthost beside \(CommandLine.arguments[0]); swift build makes it")
    }()

    static let folder = String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.endIndex))

    /// The root of the sources.
    static let repository: String = {
        var path = Substring(#filePath)
        for _ in 0..<4 { path = path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex) }
        return String(path)
    }()

    static func run(
        _ arguments: String..., in folder: String = repository, environment: [String: String] = [:]
    ) async -> ChildProcess.Outcome {
        await ChildProcess([path] + arguments, in: folder, environment: environment).end()
    }

    private static func isProgram(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }

    private static func absolute(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }
}

/// Reads files of the repository, or at an absolute path.
enum TextFile {
    static func read(_ path: String) throws -> String {
        let place = path.hasPrefix("/") ? path : "\(BuiltProgram.repository)/\(path)"
        return String(decoding: try WholeFile.read(place, limit: 1 << 20), as: UTF8.self)
    }
}
