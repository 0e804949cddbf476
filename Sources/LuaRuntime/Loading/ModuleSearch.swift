import Platform

/// The text of a module, and where it was found.
public struct LuaModuleFile: Sendable, Equatable {
    public let path: String
    public let source: [UInt8]
}

/// Finds a module's file below the allowed folders, and nowhere else.
struct ModuleSearch {
    enum Result {
        case found(LuaModuleFile)
        /// Where it is not, for people.
        case missing(String)
    }

    /// No module is so long.
    private static let maxBytes = 16 << 20

    let roots: [String]

    /// "a.b" is `a/b.lua` or `a/b/init.lua`.
    func find(_ name: String) throws -> Result {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(Self.isNameByte) }) else {
            throw LuaUsageError(
                "module name '\(name)' is not allowed: write names with dots between them, such as 'lib.json'"
            )
        }
        let path = Self.path(of: name)
        var faults: [String] = []
        for (number, root) in roots.enumerated() {
            for candidate in Self(roots: [root]).candidates(name) {
                if let known = SourceSnapshot.current?.text(of: candidate) {
                    guard let source = known else { continue }
                    return .found(LuaModuleFile(path: candidate, source: LuaFileText.chunk(source)))
                }
                guard let real = Self.resolve(candidate) else {
                    SourceSnapshot.current?.note(candidate, nil)
                    continue
                }
                // A link in the script's own folder must not show it what lies elsewhere.
                guard number > 0 || roots.contains(where: { Self.lies(real, below: $0) }) else {
                    faults.append("'\(candidate)' is a link that leads out of '\(root)'")
                    continue
                }
                do throws(Unreadable) {
                    let bytes = try Self.read(real)
                    SourceSnapshot.current?.note(candidate, bytes)
                    return .found(LuaModuleFile(path: candidate, source: LuaFileText.chunk(bytes)))
                } catch { faults.append("'\(candidate)' can't be read: \(error.reason)") }
            }
        }
        guard !roots.isEmpty else { return .missing("there is no folder to search") }
        let folders = roots.map { "'\($0)'" }.joined(separator: ", ")
        return .missing(
            (["no \(path).lua or \(path)/init.lua in \(folders)"] + faults).joined(separator: "; "))
    }

    /// The files that a module may be in.
    func candidates(_ name: String) -> [String] {
        let path = Self.path(of: name)
        return roots.flatMap { ["\($0)/\(path).lua", "\($0)/\(path)/init.lua"] }
    }

    /// By bytes: each script that requires something comes here at its start, and what the language has for
    /// this sets up more than it does.
    private static func path(of name: String) -> String {
        String(
            decoding: name.utf8.map { $0 == UInt8(ascii: ".") ? UInt8(ascii: "/") : $0 }, as: UTF8.self)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    private static func lies(_ real: String, below root: String) -> Bool {
        guard let root = resolve(root) else { return false }
        return real.hasPrefix(root == "/" ? "/" : root + "/")
    }

    /// Without links.
    private static func resolve(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }

    private struct Unreadable: Error {
        var reason: String

        init(_ reason: String) { self.reason = reason }

        init(code: Int32) { reason = String(cString: strerror(code)) }
    }

    /// Only regular files are read: a pipe or a device may have no end.
    private static func read(_ path: String) throws(Unreadable) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw Unreadable(code: errno) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw Unreadable(code: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw Unreadable("it is no regular file") }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while bytes.count <= maxBytes {
            let count = buffer.withUnsafeMutableBytes { Self.read(file, $0) }
            if count < 0 { throw Unreadable(code: errno) }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
        throw Unreadable("it has more than 16 MiB")
    }

    private static func read(_ file: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
        Platform.read(file, buffer.baseAddress, buffer.count)
    }
}
