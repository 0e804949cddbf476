import Platform

/// Files that are read to their end, and pipes, and files that are written as a whole.
package enum WholeFile {
    /// Throws for more than `limit` bytes.
    package static func read(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError(path: path, code: errno) }
        defer { close(descriptor) }
        return try read(descriptor, of: path, limit: limit)
    }

    /// Reads standard input to its end, with the limit of ``read(_:limit:)``.
    package static func readStandardInput(limit: Int) throws(FileError) -> [UInt8] {
        try read(STDIN_FILENO, of: "-", limit: limit)
    }

    /// Writes over what the file had, and makes it where there is none.
    package static func write(_ bytes: [UInt8], to path: String) throws(FileError) {
        guard let stream = fopen(path, "we") else {
            throw FileError(path: path, code: errno, action: "write")
        }
        let count = fwrite(bytes, 1, bytes.count, stream)
        guard fclose(stream) == 0, count == bytes.count else {
            throw FileError(path: path, code: errno, action: "write")
        }
    }

    /// The rest of an open file; `path` is its name in an error.
    package static func read(
        _ descriptor: Int32, of path: String, limit: Int
    ) throws(FileError) -> [UInt8] {
        var bytes: [UInt8] = []
        // Most are small.
        var room = 4 << 10
        while true {
            var code: Int32 = 0
            let part = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
                let read = readSome(descriptor, UnsafeMutableRawBufferPointer(buffer))
                if read < 0 { code = errno }
                count = max(0, read)
            }
            if code == EINTR { continue }
            guard code == 0 else { throw FileError(path: path, code: code) }
            if part.isEmpty { return bytes }
            bytes += part
            room = min(2 * room, 64 << 10)
            guard bytes.count <= limit else {
                throw FileError(path: path, reason: "it is larger than \(limit >> 20) MiB")
            }
        }
    }
}

// `read` names other things inside of types.
private func readSome(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
}

extension WholeFile {
    /// Replaces the file, or makes it, in one step: the bytes are written to a new file beside it, which then
    /// takes its place. A link at `path` is replaced, not followed.
    package static func replace(_ path: String, with bytes: [UInt8]) throws(FileError) {
        let file = try PartialFile(for: path)
        try file.write(bytes, at: 0)
        try file.commit()
    }
}
