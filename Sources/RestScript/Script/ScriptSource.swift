import LuaRuntime
import RestEngine

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Reads script files; what is no part of a chunk is left out.
enum ScriptSource {
    static let maxBytes = 16 << 20

    static func read(_ path: String) throws(Diagnostic) -> [UInt8] {
        do throws(FileFailure) {
            return LuaFileText.chunk(try WholeFile.read(path, limit: maxBytes))
        } catch {
            throw Diagnostic(
                .error, code: "unreadable", "cannot read the script: \(error.reason)", file: path,
                hint: hint(for: error.code))
        }
    }

    private static func hint(for code: Int32) -> String? {
        switch code {
        case ENOENT: "check the path; it is relative to the current folder"
        case EISDIR: "this is a folder: name the script in it"
        default: nil
        }
    }

    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
