import CurlTransport
import RestEngine

/// The API of all examples. Each example has its own service for it.
@EngineActor
struct API {
    private let engine = Engine(transport: CurlTransport())
    let url: String

    func service(_ name: String) throws -> Service { try Service(engine: engine, name: name, baseURL: url) }

    static let credentials = ["user": "ada", "password": "engine"]
}
