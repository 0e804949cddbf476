import RestClient
import RestTesting

struct User: Codable, Sendable, Equatable {
    let login: String
}

extension StubbedAPI {
    /// Its users. Requests are repeated three times.
    nonisolated func users() throws -> Endpoint {
        try service.endpoint("users") {
            Configure {
                var retry = RetryPolicy()
                retry.attempts = 4
                retry.base = .seconds(1)
                $0.retry = retry
            }
        }
    }

    /// All of it, without time limits.
    nonisolated func patient() throws -> Endpoint {
        try service.endpoint("") {
            Timeout(nil)
            Configure { $0.timeouts.firstByte = nil }
        }
    }

    var sent: [String] { requests.map { "\($0.method) \($0.url)" } }
}

/// A JSON text of one user.
let octocat = #"{"login": "octocat"}"#
