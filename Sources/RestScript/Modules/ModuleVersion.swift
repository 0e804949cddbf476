import LuaRuntime
import RestEngine
import Synchronization

/// A transformer module as it was when it was loaded and found right. Immutable but for files that it
/// requires later.
final class ModuleVersion: Sendable {
    let name: String
    /// Counts the times that the pool's modules were loaded.
    let number: Int
    /// The file of the module itself; those that it requires are in its files.
    let path: String
    /// What the table that it returned says; nil when it returned a function.
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

/// The files that a module and what it requires are made of, each as it was when it was first read: all
/// states of a pool run the same text, whatever is being saved meanwhile.
final class ModuleFiles: Sendable {
    private let files = Mutex<[String: LuaModuleFile]>([:])
    private let missed = Mutex<Set<String>>([])
    /// The hash of all files that states have read so far, and how many they were then.
    private let known = Mutex<(count: Int, hash: ContentHash)?>(nil)
    /// Called on any thread with the path of each file that is read, and of each that isn't there.
    private let onFileReached: @Sendable (String) -> Void

    init(onFileReached: @escaping @Sendable (String) -> Void = { _ in }) {
        self.onFileReached = onFileReached
    }

    /// `require` looked for a file here, and there was none: there may be one the next time.
    func miss(_ path: String) {
        missed.withLock { _ = $0.insert(path) }
        onFileReached(path)
    }

    /// The file of a module; `search` looks for one that was not read yet.
    func file(_ name: String, _ search: () throws -> LuaModuleFile?) throws -> LuaModuleFile? {
        if let known = file(name) { return known }
        guard let found = try search() else { return nil }
        return files.withLock { files in
            // Another state may have been faster.
            if let known = files[name] { return known }
            files[name] = found
            onFileReached(found.path)
            return found
        }
    }

    func file(_ name: String) -> LuaModuleFile? { files.withLock { $0[name] } }

    /// Sorted; those that were looked for in vain behind the others.
    var paths: [String] {
        files.withLock { Set($0.values.map(\.path)) }.sorted() + missed.withLock { $0 }.sorted()
    }

    /// Tells versions apart: of names, places and texts.
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

/// The versions of a script's transformer modules that are in use now. Safe on any thread; changed on the
/// engine loop.
final class ModuleCatalog: Sendable {
    private let modules = Mutex<[String: ModuleVersion]>([:])

    /// The version of each module that is in use, by the module's name.
    var versions: [String: ModuleVersion] { modules.withLock { $0 } }

    subscript(name: String) -> ModuleVersion? {
        get { modules.withLock { $0[name] } }
        set { modules.withLock { $0[name] = newValue } }
    }
}
