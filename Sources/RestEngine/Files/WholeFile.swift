import Platform

extension SourceSnapshot {
    /// Reads a file of a script through the current snapshot, or from the disk.
    package static func read(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
        guard let snapshot = current else { return try WholeFile.read(path, limit: limit) }
        if let known = snapshot.text(of: path) {
            guard let text = known else { throw FileError(path: path, code: ENOENT) }
            return text
        }
        do throws(FileError) {
            let text = try WholeFile.read(path, limit: limit)
            snapshot.note(path, text)
            return text
        } catch {
            if error.isMissing { snapshot.note(path, nil) }
            throw error
        }
    }
}

/// Reads whole files and pipes, and writes whole files.
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

    /// Overwrites the file, or creates it.
    package static func write(_ bytes: [UInt8], to path: String) throws(FileError) {
        guard let stream = fopen(path, "we") else {
            throw FileError(path: path, code: errno, action: "write")
        }
        let count = fwrite(bytes, 1, bytes.count, stream)
        guard fclose(stream) == 0, count == bytes.count else {
            throw FileError(path: path, code: errno, action: "write")
        }
    }

    /// Reads the rest of an open file; `path` is its name in errors.
    package static func read(
        _ descriptor: Int32, of path: String, limit: Int
    ) throws(FileError) -> [UInt8] {
        var bytes: [UInt8] = []
        // Most files are small.
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

// Inside types `read` has another meaning.
private func readSome(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
}

extension WholeFile {
    /// Replaces or creates the file in one step: the bytes are written to a new file beside it, which is then
    /// renamed. A link at `path` is replaced, not followed.
    ///
    /// - Parameter mode: The permissions; nil: those of the file that is there, or else 0644.
    package static func replace(
        _ path: String, with bytes: [UInt8], mode: Int? = nil
    ) throws(FileError) {
        let file = try PartialFile(for: path, mode: mode)
        try file.write(bytes, at: 0)
        try file.commit()
    }
}
