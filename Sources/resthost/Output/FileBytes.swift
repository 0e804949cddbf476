#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Whole files, and standard input as `-`.
enum FileBytes {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    static func read(_ path: String, limit: Int) throws(Failure) -> [UInt8] {
        let file = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            throw Failure(description: "cannot read '\(path)': \(String(cString: strerror(errno)))")
        }
        guard let stream = fdopen(file, "r") else { throw Failure(description: "cannot read '\(path)'") }
        defer { fclose(stream) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = fread(&chunk, 1, chunk.count, stream)
            if count == 0 {
                guard ferror(stream) == 0 else {
                    throw Failure(description: "cannot read '\(path)': \(String(cString: strerror(errno)))")
                }
                return bytes
            }
            bytes += chunk[..<count]
            guard bytes.count <= limit else {
                throw Failure(description: "'\(path)' is larger than \(limit >> 20) MiB")
            }
        }
    }

    /// Replaces the file.
    static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
        guard let stream = fopen(path, "we") else {
            throw Failure(description: "cannot write '\(path)': \(String(cString: strerror(errno)))")
        }
        let count = fwrite(bytes, 1, bytes.count, stream)
        guard fclose(stream) == 0, count == bytes.count else {
            throw Failure(description: "cannot write '\(path)': \(String(cString: strerror(errno)))")
        }
    }
}
