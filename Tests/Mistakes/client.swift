import RestClient

// Mistakes of users of RestClient, and what the compiler must say of them; see scripts/check-mistakes.

struct Plain: Sendable {}

struct Person: Codable, Sendable {}

func mistakes(_ api: Endpoint) async throws {
    let _: Plain = try await api.get("users/a")()  // conform to 'Decodable'
    let _: Call<Plain>.Type = Call<Plain>.self
    _ = try await api.get("users/a", as: Plain.self).response()  // conform to 'Decodable'
    let _: Person = try await api.get("users/a")  // add () behind it to send it
    let _: Person = try await api.post("users") { Body { Person() } }  // add () behind it to send it
    try await api.post("users") { Body { Plain() } }()  // a body is an Encodable value
    Task {
        // The guide says to write do throws(RequestError).
        do { try await api.get("a")() } catch {
            print(error.httpStatusCode)  // type 'any Error' has no member
        }
    }
}

// All of these are right.
func rightCalls(_ api: Endpoint, _ name: String?) async throws {
    let entity = try await api.get("users/a")()
    let _: Entity = entity
    let _: Person? = try await api.get("users/a").timeout(nil)()
    let _: Void = try await api.delete("users/a")()
    let request = api.get("users/a")
    let _: APIRequest = request
    let _: Person = try await request.send()
    try await api.post("users", as: Void.self) {
        Headers { ["A": name, "B": nil] }
        Body { Person() }
    }()
    Task {
        do throws(RequestError) { try await api.get("a")() } catch { print(error.httpStatusCode ?? 0) }
    }
}
