import LuaRuntime
import RestEngine

/// Makes tables of a request's attempts, for scripts.
enum AttemptFields {
    static let documentation =
        "The attempts in order: tables with `number url status error waited queued reason timings "
        + "http_version reused bytes_sent bytes_received remote_address`. Times are seconds. `bytes_sent` counts the head and the body of the request, `bytes_received` the body of the answer before it is decoded."
}

extension ScriptValues {
    func push(_ attempts: [RequestAttempt], on lua: Lua) {
        lua.newTable(array: Int32(clamping: attempts.count))
        for (index, attempt) in attempts.enumerated() {
            push(attempt, on: lua)
            lua.rawSet(-2, index + 1)
        }
    }

    private func push(_ attempt: RequestAttempt, on lua: Lua) {
        lua.newTable(record: 14)
        lua.push(attempt.number)
        lua.rawSet(-2, "number")
        set("method", attempt.method, on: lua)
        set("url", URLText.withoutUserInfo(attempt.url), on: lua)
        set("reason", attempt.reason?.description, on: lua)
        set("http_version", attempt.httpVersion, on: lua)
        set("remote_address", attempt.remoteAddress, on: lua)
        if let status = attempt.status {
            lua.push(status)
            lua.rawSet(-2, "status")
        }
        if let error = attempt.error {
            pushError(
                RequestError(
                    cause: .transport(error), timestamp: attempt.began + attempt.timings.totalSeconds,
                    url: attempt.url, method: attempt.method, attempt: attempt.number), on: lua)
            lua.rawSet(-2, "error")
        }
        set("began", attempt.began, on: lua)
        set("waited", attempt.waitedSeconds, on: lua)
        set("queued", attempt.queuedSeconds, on: lua)
        let timings = attempt.timings
        lua.push(timings.isConnectionReused)
        lua.rawSet(-2, "reused")
        lua.push(timings.bytesSent)
        lua.rawSet(-2, "bytes_sent")
        lua.push(timings.bytesReceived)
        lua.rawSet(-2, "bytes_received")
        lua.newTable(record: 6)
        set("queue", timings.queueSeconds, on: lua)
        set("name_lookup", timings.nameLookupSeconds, on: lua)
        set("connect", timings.connectSeconds, on: lua)
        set("tls", timings.tlsSeconds, on: lua)
        set("first_byte", timings.firstByteSeconds, on: lua)
        set("total", timings.totalSeconds, on: lua)
        lua.rawSet(-2, "timings")
    }

    private func set(_ field: String, _ text: String?, on lua: Lua) {
        guard let text else { return }
        lua.push(text)
        lua.rawSet(-2, field)
    }

    private func set(_ field: String, _ seconds: Double, on lua: Lua) {
        lua.push(seconds)
        lua.rawSet(-2, field)
    }
}
