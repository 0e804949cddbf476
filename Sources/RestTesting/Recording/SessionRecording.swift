public import RestEngine

/// Records the traffic of an engine with a real server, for ``StubbedAPI/replay(_:matchingBodies:besides:)``.
///
/// ```swift
/// let recording = try await SessionRecording(of: service.engine, to: "octocat.har")
/// _ = try await users.get("octocat", as: User.self)()
/// try await recording.finish()
/// ```
///
/// The file is an HTTP archive (HAR 1.2). Credentials are masked in it.
@EngineActor
public final class SessionRecording {
    private let recorder: TrafficRecorder
    /// Where the file is.
    public nonisolated let path: String

    /// Records from now on.
    ///
    /// - Parameters:
    ///   - engine: Of all services whose requests are recorded.
    ///   - path: Relative to the folder of `source`, or absolute. A file there is replaced at the end.
    ///   - source: The file of the test.
    /// - Throws: `FileError` for a file that can't be written.
    public init(of engine: Engine, to path: String, besides source: String = #filePath) throws(FileError) {
        self.path = beside(source, path)
        recorder = try TrafficRecorder(
            self.path, version: "1", bodyLimit: TrafficRecorder.replayedBytes)
        recorder.listen(to: engine)
    }

    /// Ends the recording, and writes the file.
    ///
    /// - Throws: `FileError` for a file that can't be written.
    public func finish() throws(FileError) { try recorder.finish() }
}

/// A recording that can't be replayed.
public struct ReplayError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file, and what is wrong.
    public let description: String
}

extension StubbedAPI {
    /// Answers requests without a stub from a recording: an HTTP archive (HAR 1.2) of ``SessionRecording``,
    /// of `resthost`, or of a browser. Each answer is used once, in order; of answers to the same request
    /// the last one is repeated.
    ///
    /// - Parameters:
    ///   - path: Relative to the folder of `source`, or absolute. Its URLs are those of the real server, so
    ///     the API needs its base URL.
    ///   - matchingBodies: Whether the bodies of requests must be the recorded ones, too.
    ///   - source: The file of the test.
    /// - Throws: ``ReplayError`` for a file that can't be read, or is no such archive.
    public func replay(
        _ path: String, matchingBodies: Bool = true, besides source: String = #filePath
    ) throws(ReplayError) {
        let path = beside(source, path)
        do throws(RecordingError) {
            let answers = RecordedAnswers(
                try HARReader.read(path), path: path,
                match: matchingBodies ? [.method, .url, .body] : [.method, .url])
            recordings.append(answers)
            transport.replay(answers)
        } catch { throw ReplayError(description: "\(error)") }
    }

    /// The answers of recordings that no request has used, each as its number in the file, method and URL.
    public var unusedAnswers: [String] { recordings.flatMap(\.unused).map(\.description) }
}
