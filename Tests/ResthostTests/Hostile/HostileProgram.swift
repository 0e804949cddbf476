import Platform
import TestSupport
import Testing

/// `resthost run` of a script that has each hostile script as a function. There is one resource for each of
/// them and for each place where functions run: `/api/PLACE/NAME`.
final class HostileProgram {
    /// The CPU seconds of each phase.
    static let budget = 0.05

    enum Place: String, CaseIterable {
        case block, transformer, hook, job
    }

    private let peer = LoopbackPeer { _ in
        PeerConnection.response(headers: [("Content-Type", "text/plain")], body: Array("fine".utf8))
    }
    private let folder: ScriptFolder
    let child: ChildProcess
    private(set) var port = 0
    /// The end of the part of the log that was read.
    private var seen = 0

    init(_ scripts: [HostileScript], options: [String] = []) async throws {
        var source = """
            local api = rest.service { name = "api", base_url = "\(peer.baseURL)" }
            local wait = function() rest.sleep(0) end
            local bodies = {}

            """
        for script in scripts { source += "bodies[\"\(script.name)\"] = function()\n\(script.source)\nend\n" }
        folder = ScriptFolder(source + Self.places)
        var arguments = [
            BuiltProgram.path, "run", "main.lua", "--dev", "--listen", "127.0.0.1:0", "--memory", "32M",
        ]
        for place in Place.allCases { arguments += ["--limit", "\(place.rawValue)=\(Self.budget)"] }
        child = ChildProcess(arguments + options, in: folder.path)
        try #require(await child.hasWritten("/-/health"), "\(child.errors)")
        let address = try #require(child.output.firstMatch(of: #/http://127\.0\.0\.1:(\d+)/#))
        port = try #require(Int(address.1))
    }

    deinit { child.signal(SIGKILL) }

    private static let places = """
        for name, body in pairs(bodies) do
          api:configure("/block/" .. name, function(c) body() end)
          api:configure_transformer("/transformer/" .. name, function(content) body() return content end)
          local function after(path, work)
            api:configure(path .. name, function(c)
              c:decorate_requests(function(resource, request) return request:on_completion(work) end)
            end)
          end
          after("/hook/", function() body() end)
          after("/job/", function() rest.spawn(body) end)
        end
        api:configure("/mark/**", function(c) rest.log.info("mark " .. c.url) end)
        api:configure("/empty/*", function(c)
          for _, key in ipairs(rest.store:keys()) do rest.store:delete(key) end
        end)
        api:configure("/memory/*", function(c)
          rest.log.info(("Lua holds %d bytes"):format(collectgarbage("count") * 1024 // 1 | 0))
        end)
        """

    /// The gateway's answer, head and body.
    func get(_ path: String) throws -> String {
        try LoopbackClient(port: port).exchange(
            "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n")
    }

    /// Runs a script in a place; returns the answer, and the log until all of its work had ended. Further
    /// attempts use other resources, because fresh data runs no function.
    func run(
        _ script: HostileScript, in place: Place, attempt: Int = 1
    ) async throws -> (answer: String, log: String) {
        let mark = "/mark/\(attempt)/\(place.rawValue)/\(script.name)"
        let answer = try get("/api/\(place.rawValue)/\(script.name)?attempt=\(attempt)")
        let marked = try get("/api\(mark)")
        try #require(
            marked.hasPrefix("HTTP/1.1 200 "),
            "after \(script) in \(place): \(marked)\n\(child.errors.suffix(2000))")
        try #require(
            await child.hasReported(mark),
            "it ended: \(child.errors.suffix(2000))")
        let log = child.errors
        defer { seen = log.utf8.count }
        let new = String(decoding: log.utf8.dropFirst(seen), as: UTF8.self)
        // The mark contains the script's name, which may be a word that its error must contain.
        return (answer, new.split(separator: "\n").filter { !$0.contains(mark) }.joined(separator: "\n"))
    }

    /// Makes the host drop garbage and unused resources for this number of times; returns the bytes that Lua
    /// holds then.
    func relieve(times: Int) async throws -> Int {
        _ = try get("/api/empty/\(times)")
        // The kernel may have reported a shortage before.
        let word = "memory is short"
        let before = child.errors.ranges(of: word).count
        child.signal(SIGUSR1)
        try #require(await child.hasReported(word, times: before + 1))
        _ = try get("/api/memory/\(times)")
        try #require(await child.hasReported("Lua holds", times: times))
        seen = child.errors.utf8.count
        return child.errors.matches(of: #/Lua holds (\d+) bytes/#).last.flatMap { Int($0.1) } ?? 0
    }
}
