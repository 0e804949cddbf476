import LuaRuntime
import Platform
import RestEngine
import RestScript

/// `resthost.toml` beside a script: what the command line can grant and limit, written down.
///
/// ```toml
/// [permissions]
/// read = ["data"]
/// net = ["api.example.com"]
///
/// [limits]
/// memory = "512M"
/// content-memory = "1G"
/// transformer = 0.2
///
/// [secrets]
/// names = ["X-Customer-Number"]
/// not-secret = ["upload_token"]
///
/// [log]
/// access = "access.log"
/// access-format = "json"
///
/// [gateway]
/// listen = "0.0.0.0:8080"
/// body = "16MiB"
///
/// [traces]
/// collector = "http://127.0.0.1:4318"
/// ```
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
    /// See ``RunCommand/traces``.
    var traces: String?
    /// In the words of `--limit`.
    var limits: [String] = []

    static func path(beside script: String) -> String {
        let folder = ScriptFile.folder(of: script)
        return folder == "." ? name : "\(folder)/\(name)"
    }

    /// The settings in a script's folder; empty when there is no file.
    static func beside(_ script: String) throws(Diagnostic) -> SettingsFile {
        let path = path(beside: script)
        let bytes: [UInt8]
        do throws(FileError) { bytes = try WholeFile.read(path, limit: 1 << 20) } catch {
            if error.isMissing { return SettingsFile() }
            throw Diagnostic(
                .error, code: "settings", "cannot read the settings: \(error.reason)", file: path)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Diagnostic(.error, code: "settings", "the settings are not UTF-8", file: path)
        }
        return try SettingsFile(text, path: path, folder: ScriptFile.folder(of: script))
    }

    init() {}

    init(_ text: String, path: String, folder: String) throws(Diagnostic) {
        let document: TOMLDocument
        do throws(TOMLDocument.Fault) { document = try TOMLDocument(text) } catch {
            throw Diagnostic(.error, code: "settings", error.message, file: path, line: error.line)
        }
        for table in document.tables where !Self.tables.contains(table.name) {
            throw Self.unknown("table", table.name, Self.tables, path, table.line)
        }
        for entry in document.entries {
            do throws(Fault) { try take(entry, folder) } catch {
                switch error {
                case .unknown(let known): throw Self.unknown("name", entry.key, known, path, entry.line)
                case .wrong(let message):
                    throw Diagnostic(.error, code: "settings", message, file: path, line: entry.line)
                }
            }
        }
    }

    private enum Fault: Error {
        case unknown([String])
        case wrong(String)
    }

    private static let tables = ["permissions", "limits", "secrets", "log", "traces", "gateway"]
    private static let sizes = ["memory", "content-memory"]

    private static func unknown(
        _ what: String, _ name: String, _ known: [String], _ path: String, _ line: Int
    ) -> Diagnostic {
        Diagnostic(
            .error, code: "settings", "unknown \(what) '\(name)'" + NearestName.advice(name, among: known),
            file: path,
            line: line,
            hint: "there are: \(known.joined(separator: ", "))")
    }

    private mutating func take(_ entry: TOMLDocument.Entry, _ folder: String) throws(Fault) {
        switch entry.table {
        case "permissions": try takePermission(entry, folder)
        case "limits": try takeLimit(entry)
        case "secrets":
            guard ["names", "not-secret"].contains(entry.key) else {
                throw .unknown(["names", "not-secret"])
            }
            let names = try Self.texts(entry)
            if names.contains("") { throw .wrong("a name in '\(entry.key)' is empty") }
            if entry.key == "names" { secretNames = names } else { plainNames = names }
            let both = Set(secretNames.map { $0.lowercased() })
            if let name = plainNames.first(where: { both.contains($0.lowercased()) }) {
                throw .wrong("'\(name)' is in 'names' and in 'not-secret'")
            }
        case "log": try takeLog(entry, folder)
        case "traces": try takeTraces(entry)
        case "gateway":
            guard GatewayOverrides.names.contains(entry.key) else { throw .unknown(GatewayOverrides.names) }
            do throws(GatewayOverrides.Fault) { try gateway.take(entry) } catch {
                throw .wrong("'\(entry.key)' \(error.message)")
            }
        default: throw .unknown(Self.tables.map { "[\($0)]" })
        }
    }

    private mutating func takeLog(_ entry: TOMLDocument.Entry, _ folder: String) throws(Fault) {
        guard ["access", "access-format"].contains(entry.key) else {
            throw .unknown(["access", "access-format"])
        }
        guard case .string(let text) = entry.value, !text.isEmpty else {
            throw .wrong("'\(entry.key)' is a string, not \(entry.value.kind)")
        }
        if entry.key == "access" {
            accessLog = text.hasPrefix("/") || folder == "." ? text : "\(folder)/\(text)"
            return
        }
        guard let format = LogText.Format(rawValue: text) else {
            throw .wrong("'access-format' is text or json")
        }
        accessLogFormat = format
    }

    private mutating func takeTraces(_ entry: TOMLDocument.Entry) throws(Fault) {
        guard entry.key == "collector" else { throw .unknown(["collector"]) }
        guard case .string(let address) = entry.value else {
            throw .wrong("'collector' is a string, not \(entry.value.kind)")
        }
        do throws(TraceCollector.Fault) { _ = try TraceCollector(address) } catch {
            throw .wrong("'collector': \(error.message)")
        }
        traces = address
    }

    private mutating func takePermission(_ entry: TOMLDocument.Entry, _ folder: String) throws(Fault) {
        func place(_ path: String) -> String {
            path.hasPrefix("/") || folder == "." ? path : "\(folder)/\(path)"
        }
        switch entry.key {
        case "read": read = try Self.texts(entry).map(place)
        case "write": write = try Self.texts(entry).map(place)
        case "env": variables = try Self.texts(entry)
        case "net": hosts = try Self.hosts(Self.texts(entry))
        case "all":
            guard case .boolean(let all) = entry.value else { throw .wrong("'all' is true or false") }
            allowsAll = all
        default: throw .unknown(["read", "write", "env", "net", "all"])
        }
    }

    private mutating func takeLimit(_ entry: TOMLDocument.Entry) throws(Fault) {
        let text: String
        switch entry.value {
        case .string(let value): text = value
        case .integer(let value): text = "\(value)"
        case .float(let value): text = "\(value)"
        default: throw .wrong("'\(entry.key)' is a number or a string, not \(entry.value.kind)")
        }
        if Self.sizes.contains(entry.key) {
            guard let bytes = ByteSize.parse(text) else {
                throw .wrong("'\(entry.key)' is a size such as \"512M\"")
            }
            if entry.key == "memory" { memory = bytes } else { contentMemory = bytes }
            return
        }
        let names = ScriptLimits.Phase.allCases.map(\.rawValue)
        guard names.contains(entry.key) else { throw .unknown(Self.sizes + names) }
        var limits = ScriptLimits()
        if let fault = limits.set("\(entry.key)=\(text)") { throw .wrong(fault) }
        self.limits.append("\(entry.key)=\(text)")
    }

    private static func texts(_ entry: TOMLDocument.Entry) throws(Fault) -> [String] {
        guard case .array(let values) = entry.value else {
            throw .wrong("'\(entry.key)' is an array of strings, not \(entry.value.kind)")
        }
        var texts: [String] = []
        for value in values {
            guard case .string(let text) = value else {
                throw .wrong("'\(entry.key)' is an array of strings; one item is \(value.kind)")
            }
            texts.append(text)
        }
        return texts
    }

    private static func hosts(_ names: [String]) throws(Fault) -> [HostGrant] {
        var hosts: [HostGrant] = []
        for name in names {
            guard let host = HostGrant(name) else { throw .wrong(HostGrant.advice(name)) }
            hosts.append(host)
        }
        return hosts
    }
}

/// Paths of script files.
enum ScriptFile {
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}

/// Sizes on the command line: `1000000`, `512K`, `256M`, `1G`. The units are powers of 1024.
enum ByteSize {
    static func parse(_ text: String) -> Int? {
        var digits = text[...]
        var shift = 0
        if let letter = digits.last, let place = "KMG".firstIndex(of: Character(letter.uppercased())) {
            shift = 10 * ("KMG".distance(from: "KMG".startIndex, to: place) + 1)
            digits = digits.dropLast()
        }
        guard digits.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
            let number = Int(digits)
        else {
            return nil
        }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: 1 << shift)
        return overflow || bytes < 1 << 20 ? nil : bytes
    }
}
