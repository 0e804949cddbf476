import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1

// The code of docs/migrating/async-http-client.md.

struct PlainGitHub {
    let client: HTTPClient
    let tokens: PlainTokens

    func user(_ login: String) async throws -> PlainUser {
        try await send(try request(.GET, login))
    }

    func rename(_ login: String, to name: String) async throws -> PlainUser {
        var request = try request(.PATCH, login)
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(try JSONEncoder().encode(["name": name]))
        return try await send(request)
    }

    private func request(_ method: HTTPMethod, _ login: String) throws -> HTTPClientRequest {
        guard let path = login.addingPercentEncoding(withAllowedCharacters: .alphanumerics) else {
            throw PlainError.badLogin
        }
        var request = HTTPClientRequest(url: "https://api.github.com/users/\(path)")
        request.method = method
        request.headers.add(name: "Accept", value: "application/json")
        return request
    }

    private func send(_ request: HTTPClientRequest) async throws -> PlainUser {
        var request = request
        if let token = await tokens.current {
            request.headers.add(name: "Authorization", value: "Bearer \(token)")
        }
        let response = try await client.execute(request, timeout: .seconds(10))
        guard response.status == .ok else { throw PlainError.status(response.status) }
        let body = try await response.body.collect(upTo: 1 << 20)
        return try JSONDecoder().decode(PlainUser.self, from: body)
    }
}

actor PlainTokens {
    var current: String?
}

struct PlainUser: Codable, Sendable {
    let login: String
    let name: String?
}

enum PlainError: Error {
    case badLogin
    case status(HTTPResponseStatus)
}
