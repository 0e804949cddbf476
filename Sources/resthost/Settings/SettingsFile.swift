import LuaRuntime
import Platform
import RestEngine
import RestScript

/// `resthost.toml` beside a script: what the command line can grant and limit, written down. Its keys are
/// declared in ``SettingsTable``.
struct SettingsFile {
    static let name = "resthost.toml"

    /// Paths, absolute or relative to the current folder.
    var read: [String]?
    var write: [String]?
    var variables: [String]?
    var hosts: [HostGrant]?
    var allowsAll = false
    var memory: Int?
    var contentMemory: Int?
    /// See ``ScriptOptions/secretNames``.
    var secretNames: [String] = []
    /// See ``ScriptOptions/plainNames``.
    var plainNames: [String] = []
    /// See ``RunCommand/accessLog``. The path is read as in the permissions.
    var accessLog: String?
    var accessLogFormat: LogText.Format?
    var gateway = GatewayOverrides()
    var shared = SharedSettings()
    var operators = OperatorAddresses()
    var run = RunOptions()
    /// See ``RunCommand/workers``.
    var workers: WorkerCount?
    /// See ``RunCommand/traces``.
    var traces: String?
    /// In the words of `--limit`.
    var limits: [String] = []
    /// Paths in the file begin there.
    private let folder: String

    static func path(beside script: String) -> String {
        let folder = ScriptFile.folder(of: script)
        return folder == "." ? name : "\(folder)/\(name)"
    }

    /// The settings in a script's folder; empty when there is no file.
    static func beside(_ script: String) throws(Diagnostic) -> SettingsFile {
        let path = path(beside: script)
        let bytes: [UInt8]
        do throws(FileError) { bytes = try SourceSnapshot.read(path, limit: 1 << 20) } catch {
            if error.isMissing { return SettingsFile() }
            throw Diagnostic(
                .error, code: "settings", "cannot read the settings: \(error.reason)", file: path)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Diagnostic(.error, code: "settings", "the settings are not UTF-8", file: path)
        }
        return try SettingsFile(text, path: path, folder: ScriptFile.folder(of: script))
    }

    init() { folder = "." }

    init(_ text: String, path: String, folder: String) throws(Diagnostic) {
        self.folder = folder
        let document: TOMLDocument
        do throws(TOMLDocument.Fault) { document = try TOMLDocument(text) } catch {
            throw Diagnostic(.error, code: "settings", error.message, file: path, line: error.line)
        }
        let names = SettingsTable.all.map(\.name)
        for table in document.tables where !names.contains(table.name) {
            throw Self.unknown("table", table.name, names, path, table.line)
        }
        for entry in document.entries {
            guard let table = SettingsTable.all.first(where: { $0.name == entry.table }) else {
                throw Self.unknown("name", entry.key, names.map { "[\($0)]" }, path, entry.line)
            }
            let keys = table.schema.descriptions.map(\.name)
            guard let place = keys.firstIndex(of: entry.key) else {
                throw Self.unknown("name", entry.key, keys, path, entry.line)
            }
            do { try table.schema.readings[place](SettingsValue(entry: entry), &self) { $1 } } catch {
                let fault = (error as? OptionFault)?.message(of: entry.key, kind: "") ?? "\(error)"
                throw Diagnostic(.error, code: "settings", fault, file: path, line: entry.line)
            }
        }
    }

    private static func unknown(
        _ kind: String, _ name: String, _ known: [String], _ path: String, _ line: Int
    ) -> Diagnostic {
        Diagnostic(
            .error, code: "settings", "unknown \(kind) '\(name)'" + NearestName.advice(name, among: known),
            file: path,
            line: line,
            hint: "there are: \(known.joined(separator: ", "))")
    }

    func place(_ path: String) -> String {
        path.hasPrefix("/") || folder == "." ? path : "\(folder)/\(path)"
    }
}

/// Paths of script files.
enum ScriptFile {
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}

extension ByteCount {
    /// The memory of a script or of contents: `1000000`, `512M`, `1GiB`. Nil also below 1 MiB.
    static func memory(_ text: String) -> Int? {
        ByteCount(text).flatMap { $0.bytes < 1 << 20 ? nil : $0.bytes }
    }
}
