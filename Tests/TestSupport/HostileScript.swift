import Platform

/// A script of Tests/Hostile. Its first line says what it tries, the second how it must end.
public struct HostileScript: Sendable, CustomStringConvertible {
    public let name: String
    public let source: String
    /// The kinds of error, of which one must occur. `runtime`, the last, comes with a part of the message.
    public let kinds: [String]
    public let message: String
    /// The script uses `rest`.
    public let needsRest: Bool

    public var description: String { name }

    /// All scripts, by name.
    public static let all: [HostileScript] = {
        let folder = #filePath.split(separator: "/").dropLast(2).reduce("") { $0 + "/" + $1 } + "/Hostile"
        return names(in: folder).compactMap { load("\(folder)/\($0)", name: String($0.dropLast(4))) }
    }()

    private static func names(in folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(".lua") { names.append(name) }
        }
        return names.sorted()
    }

    private static func load(_ path: String, name: String) -> HostileScript? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = fread(&bytes, 1, bytes.count, file)
        let source = String(decoding: bytes[..<count], as: UTF8.self)
        let lines = source.split(separator: "\n")
        guard lines.count > 2, lines[1].hasPrefix("-- expected: ") else { return nil }
        let words = lines[1].dropFirst("-- expected: ".count)
        let parts = " \(words) ".split(separator: " runtime ", maxSplits: 1, omittingEmptySubsequences: false)
        let kinds = parts[0].split(separator: " ").map(String.init)
        let message = parts.count > 1 ? parts[1].dropLast() : ""
        return HostileScript(
            name: name, source: source,
            kinds: parts.count > 1 ? kinds + ["runtime"] : kinds,
            message: String(message),
            needsRest: source.contains("rest."))
    }
}
