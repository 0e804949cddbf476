import Platform
import RestEngine

/// A message of a worker to its supervisor.
enum WorkerReport: Sendable {
    /// It serves. The first worker adds the files of the script as it read them.
    case ready(SourceSnapshot.Files)
    /// The files whose change may change the script, and the time when their reading began.
    case watches([String], readFrom: Double)
    /// It loaded a new version and gave it up again. A failure has the members of a ``FailureReport`` and its
    /// message.
    case tried(round: Int, failure: Tree?, SourceSnapshot.Files)
    /// It loaded a new version, which runs.
    case reloaded(round: Int, failure: Tree?)
    /// A client wants a reload. The supervisor answers with ``WorkerOrder/answered(id:_:)``.
    case wantsReload(id: Int)
    /// The engine loop is alive.
    case alive
    /// It is about to exit by itself.
    case ending(code: Int32)
}

/// A message of the supervisor to a worker.
enum WorkerOrder: Sendable {
    case begin(WorkerStart)
    /// Load the version on the disk, or the given one, and give it up again.
    case tryLoad(round: Int, SourceSnapshot.Files?)
    case reload(round: Int, ReloadTrigger, SourceSnapshot.Files)
    /// No version can replace the one that runs.
    case abandon(failure: Tree, ReloadTrigger)
    /// The result of a reload that this worker wanted: the generation that runs, and the failure if the
    /// reload failed.
    case answered(id: Int, generation: Int, seconds: Double, failure: Tree?)
}

/// The first message that a worker gets.
struct WorkerStart: Sendable {
    var worker: WorkerNumber
    var supervisor: Int32
    var generation: Int
    /// The version that runs; nil for the first worker, which reads it from the disk.
    var sources: SourceSnapshot.Files?
    /// The addresses of the sockets from the service manager.
    var addresses: [String]
    /// A worker with this number has run before.
    var isSuccessor: Bool
    /// The seconds between two signs of life; 0 for none.
    var beat: Double
    /// The token of the inspector, the same for all workers.
    var token: String
}

// MARK: Encoding

extension WorkerReport {
    var message: MessageSocket.Message {
        switch self {
        case .ready(let files): .init(head: ["kind": "ready"], bytes: SourceCoding.bytes(files))
        case .watches(let files, let start):
            .init(
                head: Tree(pairs: [
                    ("kind", "watches"), ("files", Tree(files.map { Tree($0) })), ("from", Tree(start)),
                ]))
        case .tried(let round, let failure, let files):
            .init(
                head: Tree(pairs: [("kind", "tried"), ("round", Tree(round))] + Self.pairs(failure)),
                bytes: SourceCoding.bytes(files))
        case .reloaded(let round, let failure):
            .init(head: Tree(pairs: [("kind", "reloaded"), ("round", Tree(round))] + Self.pairs(failure)))
        case .wantsReload(let id): .init(head: ["kind": "wants_reload", "id": Tree(id)])
        case .alive: .init(head: ["kind": "alive"])
        case .ending(let code): .init(head: ["kind": "ending", "code": Tree(Int(code))])
        }
    }

    fileprivate static func pairs(_ failure: Tree?) -> [(String, Tree)] {
        failure.map { [("failure", $0)] } ?? []
    }

    /// Nil for a message of another kind.
    init?(_ message: MessageSocket.Message) {
        let head = message.head
        func integer(_ name: String) -> Int { head[name]?.int.flatMap { Int(exactly: $0) } ?? 0 }
        switch head["kind"]?.string {
        case "ready":
            guard let files = SourceCoding.files(message.bytes) else { return nil }
            self = .ready(files)
        case "watches":
            self = .watches(
                head["files"]?.elements.compactMap(\.string) ?? [], readFrom: head["from"]?.double ?? 0)
        case "tried":
            guard let files = SourceCoding.files(message.bytes) else { return nil }
            self = .tried(round: integer("round"), failure: head["failure"], files)
        case "reloaded": self = .reloaded(round: integer("round"), failure: head["failure"])
        case "wants_reload": self = .wantsReload(id: integer("id"))
        case "alive": self = .alive
        case "ending": self = .ending(code: Int32(clamping: integer("code")))
        default: return nil
        }
    }
}

extension WorkerOrder {
    var message: MessageSocket.Message {
        switch self {
        case .begin(let start):
            .init(
                head: Tree(pairs: [
                    ("kind", "begin"), ("number", Tree(start.worker.number)),
                    ("count", Tree(start.worker.count)), ("supervisor", Tree(Int(start.supervisor))),
                    ("generation", Tree(start.generation)), ("reads_disk", Tree(start.sources == nil)),
                    ("successor", Tree(start.isSuccessor)), ("beat", Tree(start.beat)),
                    ("token", Tree(start.token)), ("addresses", Tree(start.addresses.map { Tree($0) })),
                ]), bytes: SourceCoding.bytes(start.sources ?? [:]))
        case .tryLoad(let round, let files):
            .init(
                head: Tree(pairs: [
                    ("kind", "try"), ("round", Tree(round)), ("reads_disk", Tree(files == nil)),
                ]), bytes: SourceCoding.bytes(files ?? [:]))
        case .reload(let round, let trigger, let files):
            .init(
                head: Tree(pairs: [
                    ("kind", "reload"), ("round", Tree(round)), ("trigger", trigger.tree),
                ]), bytes: SourceCoding.bytes(files))
        case .abandon(let failure, let trigger):
            .init(head: ["kind": "abandon", "failure": failure, "trigger": trigger.tree])
        case .answered(let id, let generation, let seconds, let failure):
            .init(
                head: Tree(
                    pairs: [
                        ("kind", "answered"), ("id", Tree(id)), ("generation", Tree(generation)),
                        ("seconds", Tree(seconds)),
                    ] + WorkerReport.pairs(failure)))
        }
    }

    /// Nil for a message of another kind.
    init?(_ message: MessageSocket.Message) {
        let head = message.head
        func integer(_ name: String) -> Int { head[name]?.int.flatMap { Int(exactly: $0) } ?? 0 }
        let files = SourceCoding.files(message.bytes)
        let trigger = ReloadTrigger(head["trigger"])
        switch head["kind"]?.string {
        case "begin":
            self = .begin(
                WorkerStart(
                    worker: WorkerNumber(number: max(1, integer("number")), count: max(1, integer("count"))),
                    supervisor: Int32(clamping: integer("supervisor")), generation: integer("generation"),
                    sources: head["reads_disk"]?.bool == true ? nil : files,
                    addresses: head["addresses"]?.elements.compactMap(\.string) ?? [],
                    isSuccessor: head["successor"]?.bool ?? false, beat: head["beat"]?.double ?? 0,
                    token: head["token"]?.string ?? ""))
        case "try":
            self = .tryLoad(round: integer("round"), head["reads_disk"]?.bool == true ? nil : files)
        case "reload":
            guard let files else { return nil }
            self = .reload(round: integer("round"), trigger, files)
        case "abandon":
            guard let failure = head["failure"] else { return nil }
            self = .abandon(failure: failure, trigger)
        case "answered":
            self = .answered(
                id: integer("id"), generation: integer("generation"), seconds: head["seconds"]?.double ?? 0,
                failure: head["failure"])
        default: return nil
        }
    }
}

extension ReloadTrigger {
    fileprivate var tree: Tree {
        switch self {
        case .start: "start"
        case .files(let paths): Tree(paths.map { Tree($0) })
        case .signal: "signal"
        case .request: "request"
        case .user: "user"
        }
    }

    fileprivate init(_ tree: Tree?) {
        switch tree?.string {
        case "start": self = .start
        case "signal": self = .signal
        case "user": self = .user
        case "request": self = .request
        default: self = .files(tree?.elements.compactMap(\.string) ?? [])
        }
    }
}

/// The files of a version as bytes: for each the length of its path, the length of its text plus one or 0 for
/// a missing file, the path and the text.
enum SourceCoding {
    static func bytes(_ files: SourceSnapshot.Files) -> [UInt8] {
        var bytes: [UInt8] = []
        for (path, text) in files {
            for length in [path.utf8.count, text.map { $0.count + 1 } ?? 0] {
                withUnsafeBytes(of: UInt32(length).littleEndian) { bytes += $0 }
            }
            bytes += path.utf8
            bytes += text ?? []
        }
        return bytes
    }

    /// Nil for bytes that are no files.
    static func files(_ bytes: [UInt8]) -> SourceSnapshot.Files? {
        var files: SourceSnapshot.Files = [:]
        var rest = bytes[...]
        func take(_ count: Int) -> ArraySlice<UInt8>? {
            guard rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }
        func length() -> Int? { take(4).map { $0.reversed().reduce(0) { $0 << 8 | Int($1) } } }
        while !rest.isEmpty {
            guard let pathLength = length(), let textLength = length(), let path = take(pathLength),
                let text = take(max(0, textLength - 1))
            else { return nil }
            files[String(decoding: path, as: UTF8.self)] = .some(textLength == 0 ? nil : Array(text))
        }
        return files
    }
}
