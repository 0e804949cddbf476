import Platform

/// The sorted names in a folder. Hidden files, whose names begin with a dot, and names that are not UTF-8 are
/// left out.
package enum FolderNames {
    /// Nil if it is no folder or can't be read.
    package static func list(_ path: String) -> [String]? {
        guard let stream = opendir(path) else { return nil }
        defer { closedir(stream) }
        return names(stream)
    }

    /// The same for an open folder, which is closed afterwards.
    package static func list(closing descriptor: Int32) -> [String]? {
        guard let stream = fdopendir(descriptor) else {
            close(descriptor)
            return nil
        }
        defer { closedir(stream) }
        return names(stream)
    }

    #if canImport(Darwin)
        private typealias Stream = UnsafeMutablePointer<DIR>
    #else
        private typealias Stream = OpaquePointer
    #endif

    private static func names(_ stream: Stream) -> [String] {
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
                    String(validatingCString: $0)
                }
            }
            if let name, !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }
}
