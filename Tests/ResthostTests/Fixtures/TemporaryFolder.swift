#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A folder that is removed, with the files that were made in it, when this goes.
final class TemporaryFolder {
    let path: String
    private var made: [String] = []

    init() {
        var template = Array("/tmp/fixtures-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil)
        path = template.withUnsafeBufferPointer { buffer in
            String(decoding: buffer.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }

    deinit {
        for entry in made.reversed() { remove(entry) }
        rmdir(path)
    }

    func write(_ text: String, to name: String) {
        let file = open(add(name), O_WRONLY | O_CREAT | O_EXCL, 0o600)
        precondition(file >= 0 && Glibc.write(file, text, text.utf8.count) == text.utf8.count)
        close(file)
    }

    func makeFolder(_ name: String) { precondition(mkdir(add(name), 0o700) == 0) }
    func link(_ name: String, to target: String) { precondition(symlink(target, add(name)) == 0) }
    func makePipe(_ name: String) { precondition(mkfifo(add(name), 0o600) == 0) }

    private func add(_ name: String) -> String {
        made.append(path + "/" + name)
        return path + "/" + name
    }
}
