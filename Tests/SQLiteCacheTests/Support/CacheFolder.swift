import Platform
import RestEngine
import TestSupport

@testable import SQLiteCache

/// A folder for a cache file. It is deleted at the end.
final class CacheFolder {
    private let folder = TemporaryFolder()
    /// The log of the folder's stores.
    private(set) var log: [String] = []

    var path: String { folder.path }
    var file: String { "\(path)/cache.sqlite" }

    deinit { for name in names { unlink("\(path)/\(name)") } }

    var names: [String] {
        guard let listing = opendir(path) else { return [] }
        defer { closedir(listing) }
        var names: [String] = []
        while let entry = readdir(listing) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    func store(maxBytes: Int = 1 << 20, maxNotedReads: Int = 256) -> EntityStore {
        var settings = EntityStore.Settings(path: file, maxBytes: maxBytes)
        settings.maxNotedReads = maxNotedReads
        return EntityStore(settings) { [weak self] in self?.log.append("\($0.rawValue): \($1)") }
    }

    /// A closed file with `count` entries of about a kilobyte.
    func fill(_ count: Int = 40) {
        let store = store()
        for number in 0..<count { store.write(.sample(number), "\(number)") }
        store.close()
    }

    func bytes(_ name: String = "cache.sqlite") -> [UInt8] {
        guard let file = fopen("\(path)/\(name)", "r") else { return [] }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
        return bytes
    }

    /// Overwrites a file in place, as a faulty disk would.
    func overwrite(_ bytes: [UInt8], _ name: String = "cache.sqlite") {
        let descriptor = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        _ = write(descriptor, bytes, bytes.count)
        close(descriptor)
    }

    func remove() { for name in names { unlink("\(path)/\(name)") } }

    /// Runs statements on the file, beside any store.
    func run(_ sql: String) throws {
        let connection = try Connection(file, .readWrite)
        connection.setBusyTimeout(milliseconds: 5000)
        try connection.execute(sql)
    }

    func integer(_ sql: String) throws -> Int64 { try Connection(file, .readWrite).integer(sql) }
}

extension CacheFolder {
    /// The mode of a file.
    func mode(_ name: String) -> mode_t {
        var status = stat()
        guard stat("\(path)/\(name)", &status) == 0 else { return 0 }
        return status.st_mode & 0o777
    }
}
