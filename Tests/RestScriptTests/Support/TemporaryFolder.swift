#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A folder that goes with its owner.
final class TemporaryFolder {
    let path: String
    private var made: [String] = []

    init() {
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

    func write(_ name: String, _ text: String) {
        makeParents(of: name)
        let file = fopen("\(path)/\(name)", "w")
        fputs(text, file)
        fclose(file)
        made.append("\(path)/\(name)")
    }

    func link(_ name: String, to target: String) {
        makeParents(of: name)
        symlink(target, "\(path)/\(name)")
        made.append("\(path)/\(name)")
    }

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
