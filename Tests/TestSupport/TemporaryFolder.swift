#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A folder that goes with its owner.
public final class TemporaryFolder {
    public let path: String
    private var made: [String] = []

    public init() {
        var template = Array("/tmp/resthost-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil, let real = realpath(template, nil) else {
            fatalError("no temporary folder")
        }
        path = String(cString: real)
        free(real)
    }

    deinit {
        for entry in made.reversed() { _ = Self.delete(entry) }
        rmdir(path)
    }

    public func write(_ name: String, _ text: String) { write(name, bytes: Array(text.utf8)) }

    public func write(_ name: String, bytes: [UInt8]) {
        makeParents(of: name)
        let file = fopen("\(path)/\(name)", "w")
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
        made.append("\(path)/\(name)")
    }

    /// Cuts a file, or lengthens it by zeros, which take no room.
    public func resize(_ name: String, to count: Int) { truncate("\(path)/\(name)", off_t(count)) }

    public func remove(_ name: String) { _ = Self.delete("\(path)/\(name)") }

    public func makePipe(_ name: String) {
        mkfifo("\(path)/\(name)", 0o600)
        made.append("\(path)/\(name)")
    }

    public func link(_ name: String, to target: String) {
        makeParents(of: name)
        symlink(target, "\(path)/\(name)")
        made.append("\(path)/\(name)")
    }

    /// The names in one of its folders, sorted.
    public func names(in folder: String) -> [String] {
        guard let directory = opendir("\(path)/\(folder)") else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(
                withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        return names.filter { $0 != "." && $0 != ".." }.sorted()
    }

    /// Deletes what a test's subject has written.
    public func forget(_ name: String) { _ = Self.delete("\(path)/\(name)") }

    private func makeParents(of name: String) {
        var folder = path
        for part in name.split(separator: "/").dropLast() {
            folder += "/\(part)"
            if mkdir(folder, 0o700) == 0 { made.append(folder) }
        }
    }

    private static func delete(_ path: String) -> Int32 {
        unlink(path) == 0 ? 0 : rmdir(path)
    }
}
