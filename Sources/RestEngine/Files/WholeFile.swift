import Platform

/// Reads files and pipes to their end.
public enum WholeFile {
    /// Throws for more than `limit` bytes.
    public static func read(_ path: String, limit: Int) throws(FileFailure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure(path: path, code: errno) }
        defer { close(descriptor) }
        return try read(descriptor, of: path, limit)
    }

    /// The same for standard input.
    public static func readStandardInput(limit: Int) throws(FileFailure) -> [UInt8] {
        try read(STDIN_FILENO, of: "-", limit)
    }

    /// Replaces the file.
    public static func write(_ bytes: [UInt8], to path: String) throws(FileFailure) {
        guard let stream = fopen(path, "we") else {
            throw FileFailure(path: path, code: errno, action: "write")
        }
        let count = fwrite(bytes, 1, bytes.count, stream)
        guard fclose(stream) == 0, count == bytes.count else {
            throw FileFailure(path: path, code: errno, action: "write")
        }
    }

    private static func read(_ descriptor: Int32, of path: String, _ limit: Int) throws(FileFailure)
        -> [UInt8]
    {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = chunk.withUnsafeMutableBytes { readSome(descriptor, $0) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FileFailure(path: path, code: errno) }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
            guard bytes.count <= limit else {
                throw FileFailure(path: path, reason: "it is larger than \(limit >> 20) MiB")
            }
        }
    }
}

// `read` names other things inside of types.
private func readSome(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
}
