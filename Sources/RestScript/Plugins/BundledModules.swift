import CPlugins

/// The Lua modules that come with the program. A script requires one as `resthost.NAME`; a file of that name
/// in one of its folders goes before.
package enum BundledModules {
    private static let prefix = "resthost."

    /// Without the prefix, sorted.
    package static let names: [String] = all.map { String(cString: $0.name) }

    /// The text of a module, by its whole name; nil when there is none.
    package static func source(_ name: String) -> [UInt8]? {
        guard name.hasPrefix(prefix) else { return nil }
        let name = name.dropFirst(prefix.count)
        guard let place = names.firstIndex(where: { $0 == name }) else { return nil }
        let module = all[all.startIndex + place]
        return Array(UnsafeBufferPointer(start: module.source, count: module.count))
    }

    private static var all: UnsafeBufferPointer<cplugins_module> {
        var count = 0
        let first = cplugins_modules(&count)
        return UnsafeBufferPointer(start: first, count: count)
    }
}
