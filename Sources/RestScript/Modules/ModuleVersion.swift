import LuaRuntime
import RestEngine
import Synchronization

/// A transformer module, after it was loaded and checked. It is immutable except for files that it requires
/// later.
final class ModuleVersion: Sendable {
    let name: String
    /// The number of this load among all loads of the pool.
    let number: Int
    /// The file of the module itself. Files that it requires are in `files`.
    let path: String
    /// The rules in the table that it returned; nil when it returned a function.
    let rules: ContentRules?
    let files: ModuleFiles

    init(name: String, number: Int, path: String, rules: ContentRules?, files: ModuleFiles) {
        self.name = name
        self.number = number
        self.path = path
        self.rules = rules
        self.files = files
    }
}

/// The files of a module and of the modules that it requires, each as it was first read. So all states of a
/// pool run the same text, even while files are being saved.
final class ModuleFiles: Sendable {
    private let files = Mutex<[String: LuaModuleFile]>([:])
    private let missed = Mutex<Set<String>>([])
    /// The hash of all files that states have read, and their number at that time.
    private let known = Mutex<(count: Int, hash: ContentHash)?>(nil)
    /// Called on any thread with the path of each file that is read or missing.
    private let onFileReached: @Sendable (String) -> Void

    init(onFileReached: @escaping @Sendable (String) -> Void = { _ in }) {
        self.onFileReached = onFileReached
    }

    /// Notes that `require` found no file here. A later load may find one.
    func miss(_ path: String) {
        missed.withLock { _ = $0.insert(path) }
        onFileReached(path)
    }

    /// The file of a module. `search` finds a file that was not read yet.
    func file(_ name: String, _ search: () throws -> LuaModuleFile?) throws -> LuaModuleFile? {
        if let known = file(name) { return known }
        guard let found = try search() else { return nil }
        return files.withLock { files in
            // Another state may have added it meanwhile.
            if let known = files[name] { return known }
            files[name] = found
            onFileReached(found.path)
            return found
        }
    }

    func file(_ name: String) -> LuaModuleFile? { files.withLock { $0[name] } }

    /// The paths of read files, sorted, and then those of missing files.
    var paths: [String] {
        files.withLock { Set($0.values.map(\.path)) }.sorted() + missed.withLock { $0 }.sorted()
    }

    /// The hash of names, paths and texts, which identifies the version.
    var hash: ContentHash {
        let files = files.withLock { $0 }
        if let known = known.withLock({ $0 }), known.count == files.count { return known.hash }
        var bytes: [UInt8] = []
        for (name, file) in files.sorted(by: { $0.key < $1.key }) {
            for part in [Array(name.utf8), Array(file.path.utf8), file.source] {
                withUnsafeBytes(of: part.count) { bytes += $0 }
                bytes += part
            }
        }
        let hash = bytes.withUnsafeBytes(ContentHash.init)
        known.withLock { $0 = (files.count, hash) }
        return hash
    }
}

/// The versions of a script's transformer modules that are in use. Safe on any thread; only the engine loop
/// changes it.
final class ModuleCatalog: Sendable {
    private let modules = Mutex<[String: ModuleVersion]>([:])

    /// The version in use of each module, by name.
    var versions: [String: ModuleVersion] { modules.withLock { $0 } }

    subscript(name: String) -> ModuleVersion? {
        get { modules.withLock { $0[name] } }
        set { modules.withLock { $0[name] = newValue } }
    }
}
