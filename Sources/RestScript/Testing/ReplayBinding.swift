import LuaRuntime
import Platform
import RestEngine

/// `host:replay` and `t.record` (rules 49).
extension ScriptTestFile {
    func replay(_ call: Arguments, _ host: TestHost) throws {
        let path = try home.context.grants.readablePath(try call.string(1, "path"))
        var given = ReplayOptions()
        try call.options(2).read(ReplayOptions.schema, into: &given)
        do throws(RecordingError) {
            let answers = RecordedAnswers(try HARReader.read(path), path: path, match: given.match)
            host.replay(answers, whole: given.isWhole)
        } catch { throw LuaUsageError("\(error)") }
    }

    var recordFunction: ModuleFunction {
        ModuleFunction(
            "record", "(path: string)",
            "Records further requests of this test's hosts and the answers of their stubs in a file (HAR), written at the "
                + "test's end. The path is relative to the test file."
        ) { [unowned self] call in
            try requireUnfailed()
            guard let run else {
                throw LuaUsageError("t.record records a test: call it inside t.test or t.before_each")
            }
            let path = try home.context.grants.writablePath(try call.string(1, "path"))
            do throws(FileError) {
                try run.record(
                    TrafficRecorder(path, version: Version.text, bodyLimit: TrafficRecorder.replayedBytes))
            } catch { throw LuaUsageError("\(error)") }
            return .none
        }
    }
}

/// The options of `host:replay`.
struct ReplayOptions {
    var match = Set(RecordingMatch.allCases)
    /// True when an unused answer is an error.
    var isWhole = false

    static let schema = ScriptSchema<ReplayOptions>([
        .texts(
            "match", words: RecordingMatch.allCases.map { $0.rawValue },
            "The parts of a request that must match; default: all of them."
        ) { $0.match = try matched($1) },
        .init(
            "unused", type: "\"ignore\" | \"error\"", default: "\"ignore\"",
            "How an unused answer is treated."
        ) { options, replay, _ in
            guard let unused = try options.string("unused") else { return }
            guard ["ignore", "error"].contains(unused) else {
                throw OptionFault("is \"ignore\" or \"error\", not \"\(unused)\"")
            }
            replay.isWhole = unused == "error"
        },
    ])

    private static func matched(_ names: [String]) throws(LuaUsageError) -> Set<RecordingMatch> {
        let known = RecordingMatch.allCases.map(\.rawValue)
        var match: Set<RecordingMatch> = []
        for name in names {
            guard let part = RecordingMatch(rawValue: name) else {
                throw LuaUsageError(
                    "option 'match' knows no '\(name)'" + NearestName.advice(name, among: known)
                        + "; there are \(known.joined(separator: ", "))")
            }
            match.insert(part)
        }
        guard !match.isEmpty else {
            throw LuaUsageError("option 'match' is empty: any answer would do for any request")
        }
        return match
    }
}

extension TestRun {
    /// Ends the recordings. Fails when one could not be written, or was not replayed completely although it
    /// had to be.
    func endRecordings() {
        for recorder in recorders {
            do throws(FileError) { try recorder.finish() } catch { fail(Diagnostic(.error, "\(error)")) }
        }
        guard failure == nil else { return }
        for answers in hosts.flatMap(\.wholeReplays) {
            let unused = answers.unused
            guard !unused.isEmpty else { continue }
            let shown = unused.prefix(5).map { "\n  \($0.description)" }.joined()
            let more = unused.count > 5 ? "\n  and \(unused.count - 5) more" : ""
            fail(Diagnostic(.error, "\(answers.path) has answers that nobody asked for:" + shown + more))
        }
    }
}
