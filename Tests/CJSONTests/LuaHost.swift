import CJSONTestHost
import Testing

/// A Lua state with CJSON's functions; see host.h.
final class LuaHost {
    private let host = host_new()!

    deinit { host_free(host) }

    var bytes: Int { host_bytes(host) }

    /// The message of the error that a chunk raised.
    func error(_ chunk: String) -> String? {
        host_run(host, chunk).map { String(cString: $0) }
    }

    func failAllocations(after count: Int) { host_fail_after(host, count) }
}

/// Runs a chunk in a new state; it must not raise.
func run(_ chunk: String, sourceLocation: SourceLocation = #_sourceLocation) {
    let error = LuaHost().error(chunk)
    #expect(error == nil, sourceLocation: sourceLocation)
}
