#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Reads script files.
enum ScriptSource {
    static let maxBytes = 16 << 20

    static func read(_ path: String) throws(Diagnostic) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            throw Diagnostic(
                .error, "cannot read the script: \(String(cString: strerror(errno)))", file: path,
                hint: errno == ENOENT ? "check the path; it is relative to the current folder" : nil)
        }
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = chunk.withUnsafeMutableBytes { Self.read(file, $0) }
            guard count >= 0 else {
                throw Diagnostic(
                    .error, "cannot read the script: \(String(cString: strerror(errno)))", file: path,
                    hint: errno == EISDIR ? "this is a folder: name the script in it" : nil)
            }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
            guard bytes.count <= maxBytes else {
                throw Diagnostic(.error, "the script is larger than \(maxBytes >> 20) MiB", file: path)
            }
        }
    }

    private static func read(_ file: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
        #if canImport(Glibc)
            Glibc.read(file, buffer.baseAddress, buffer.count)
        #elseif canImport(Musl)
            Musl.read(file, buffer.baseAddress, buffer.count)
        #else
            Darwin.read(file, buffer.baseAddress, buffer.count)
        #endif
    }

    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
