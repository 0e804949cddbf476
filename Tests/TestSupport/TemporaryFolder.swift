import Platform

/// A folder that is deleted with its owner.
public final class TemporaryFolder {
    public let path: String

    public init() {
        var template = Array("/tmp/resthost-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil, let real = realpath(template, nil) else {
            fatalError("no temporary folder")
        }
        path = String(cString: real)
        free(real)
    }

    deinit { Self.delete(path) }

    public func write(_ name: String, _ text: String) { write(name, bytes: Array(text.utf8)) }

    public func write(_ name: String, bytes: [UInt8]) {
        makeParents(of: name)
        let file = fopen("\(path)/\(name)", "w")
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
    }

    /// Cuts a file, or extends it by zeros, which take no space on the disk.
    public func resize(_ name: String, to count: Int) { truncate("\(path)/\(name)", off_t(count)) }

    /// Removes a file, or a folder with all its content.
    public func remove(_ name: String) { Self.delete("\(path)/\(name)") }

    public func allowExecution(of name: String) { chmod("\(path)/\(name)", 0o700) }

    public func makeFolder(_ name: String) {
        makeParents(of: name)
        mkdir("\(path)/\(name)", 0o700)
    }

    public func makePipe(_ name: String) {
        mkfifo("\(path)/\(name)", 0o600)
    }

    public func link(_ name: String, to target: String) {
        makeParents(of: name)
        symlink(target, "\(path)/\(name)")
    }

    /// The names in a subfolder, sorted.
    public func names(in folder: String) -> [String] { Self.names(at: "\(path)/\(folder)").sorted() }

    /// The names in a folder, in no order; none when it does not exist.
    public static func names(at path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(
                withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        return names.filter { $0 != "." && $0 != ".." }
    }

    private func makeParents(of name: String) {
        var folder = path
        for part in name.split(separator: "/").dropLast() {
            folder += "/\(part)"
            mkdir(folder, 0o700)
        }
    }

    /// Deletes without following links.
    private static func delete(_ path: String) {
        guard unlink(path) != 0, rmdir(path) != 0 else { return }
        for name in names(at: path) { delete("\(path)/\(name)") }
        rmdir(path)
    }
}
