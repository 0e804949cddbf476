#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Finds a module's file below the allowed folders, and nowhere else.
struct ModuleSearch {
    struct File {
        let path: String
        let source: [UInt8]
    }

    let roots: [String]

    /// "a.b" is `a/b.lua` or `a/b/init.lua`.
    func find(_ name: String) throws -> File {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(Self.isNameByte) }) else {
            throw LuaUsageError(
                "module name '\(name)' is not allowed: write names with dots between them, such as 'lib.json'"
            )
        }
        var tried: [String] = []
        for root in roots {
            for candidate in Self(roots: [root]).candidates(name) {
                guard let real = Self.resolve(candidate) else {
                    tried.append("no file '\(candidate)'")
                    continue
                }
                guard let realRoot = Self.resolve(root),
                    real.hasPrefix(realRoot == "/" ? "/" : realRoot + "/")
                else {
                    tried.append("'\(candidate)' leads out of '\(root)'")
                    continue
                }
                if let source = Self.read(real) { return File(path: candidate, source: source) }
                tried.append("cannot read '\(candidate)'")
            }
        }
        let places = tried.isEmpty ? "no folder to search" : tried.joined(separator: "; ")
        throw LuaUsageError("module '\(name)' not found: \(places)")
    }

    /// The files that a module may be in.
    func candidates(_ name: String) -> [String] {
        let path = name.replacing(".", with: "/")
        return roots.flatMap { ["\($0)/\(path).lua", "\($0)/\(path)/init.lua"] }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// Without links, so that none leads out of a root.
    private static func resolve(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }

    private static func read(_ path: String) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = buffer.withUnsafeMutableBytes { Self.read(file, $0) }
            if count < 0 { return nil }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
    }

    private static func read(_ file: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
        #if canImport(Glibc)
            Glibc.read(file, buffer.baseAddress, buffer.count)
        #elseif canImport(Musl)
            Musl.read(file, buffer.baseAddress, buffer.count)
        #else
            Darwin.read(file, buffer.baseAddress, buffer.count)
        #endif
    }
}
