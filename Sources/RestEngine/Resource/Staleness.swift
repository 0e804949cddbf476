/// Why a resource is up to date or not, for the log (rule 26.7).
struct Staleness: CustomStringConvertible {
    let state: ResourceStateMachine
    let now: Double
    let expirationTime: Double
    let retryTime: Double

    var description: String {
        if state.isInvalidated { return "invalidated" }
        if let data = state.data {
            let left = data.timestamp + expirationTime - now
            if state.freshData(now: now, expirationTime: expirationTime) != nil {
                return "up to date for \(Self.seconds(left))"
            }
            if state.error == nil { return "stale for \(Self.seconds(-left))" }
        }
        if let error = state.error {
            let left = error.timestamp + retryTime - now
            return left >= 0
                ? "failed, no retry for \(Self.seconds(left))" : "failed, may be tried again"
        }
        return "never loaded"
    }

    private static func seconds(_ value: Double) -> String {
        "\((value * 1000).rounded() / 1000) s"
    }
}
