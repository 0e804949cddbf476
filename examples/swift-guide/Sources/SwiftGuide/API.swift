import CurlTransport
import RestEngine

/// The API that all examples talk to; each has a service of its own on it.
@EngineActor
struct API {
    private let engine = Engine(transport: CurlTransport())
    let url: String

    func service(_ name: String) throws -> Service { try Service(engine: engine, name: name, baseURL: url) }

    static let credentials = ["user": "ada", "password": "engine"]
}
