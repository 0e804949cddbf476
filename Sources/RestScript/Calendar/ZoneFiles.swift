import Platform
import RestEngine

/// The places of time zones: the files of tzdata.
public struct ZoneFiles: Sendable {
    /// Folders with one file for each zone. The first that has the file wins.
    public var folders = ["/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/etc/zoneinfo"]
    /// The machine's own zone, used when ``variable`` is not set.
    public var local = "/etc/localtime"
    /// The value of TZ (POSIX 8.3): a zone's name or a rule.
    public var variable: String?

    /// The folders of the system, with the TZ variable of this process.
    public static var system: ZoneFiles { ZoneFiles(variable: getenv("TZ").map { String(cString: $0) }) }

    public init(variable: String?) { self.variable = variable }

    /// The zone of that name; nil means the local zone.
    func zone(named name: String?, suggest: (String, [String]) -> String) throws(ZoneTable.Fault) -> ZoneTable
    {
        let isScripts = name != nil
        guard let name = name ?? variable.map({ $0.hasPrefix(":") ? String($0.dropFirst()) : $0 }) else {
            guard let bytes = read(local) else { return .utc }
            return try table(bytes, "the zone of this machine, '\(local)',")
        }
        if name.isEmpty || name == "UTC" { return .utc }
        // TZ may name a path, as in `TZ=:/etc/localtime`. Scripts may not.
        if !isScripts, name.hasPrefix("/"), let bytes = read(name) {
            return try table(bytes, "the zone '\(name)'")
        }
        if Self.isName(name) {
            for folder in folders {
                if let bytes = read("\(folder)/\(name)") { return try table(bytes, "the zone '\(name)'") }
            }
        }
        if let rule = ZoneRule(name) { return ZoneTable(rule) }
        throw ZoneTable.Fault(message: "there is no zone '\(name.prefix(64))'" + advice(name, suggest))
    }

    private func table(_ bytes: [UInt8], _ what: String) throws(ZoneTable.Fault) -> ZoneTable {
        do throws(ZoneTable.Fault) { return try ZoneTable(file: bytes) } catch {
            throw ZoneTable.Fault(message: "\(what) can't be read: \(error.message)")
        }
    }

    /// True for a name that cannot lead out of the folders.
    private static func isName(_ name: String) -> Bool {
        name.utf8.count <= 64
            && name.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
                !part.isEmpty && part.first != "." && part.utf8.allSatisfy { HTTPByte.isToken($0) }
            }
    }

    private func advice(_ name: String, _ suggest: (String, [String]) -> String) -> String {
        for folder in folders {
            guard let bytes = read("\(folder)/tzdata.zi") else { continue }
            // Lines are `Z NAME …` or `L TARGET NAME`.
            let names = String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap {
                line -> String? in
                let words = line.split(separator: " ", maxSplits: 3)
                switch words.first {
                case "Z" where words.count > 1: return String(words[1])
                case "L" where words.count > 2: return String(words[2])
                default: return nil
                }
            }
            let near = suggest(name, names)
            return near.isEmpty ? ": zones have names such as Europe/Berlin" : near
        }
        return ": the machine has no names of zones; install tzdata"
    }

    private func read(_ path: String) -> [UInt8]? {
        try? OpenFile(path).readAll(limit: ZoneFileReader.maxBytes)
    }
}

extension OpenFile {
    fileprivate func readAll(limit: Int) throws(FileError) -> [UInt8] {
        guard size <= Int64(limit) else { throw FileError(path: path, reason: "it is too large") }
        return try readAll()
    }
}
