import RestEngine

/// An answer that is made for one request: everything but the content of resources.
struct Reply: Sendable {
    var status: Int
    var fields: [(String, String)]
    var body: [UInt8]

    /// About the server as a whole (RFC 9110 9.3.7).
    init(allowing methods: [String]) {
        status = 204
        fields = [("Allow", (methods + ["OPTIONS"]).joined(separator: ", "))]
        body = []
    }

    init(_ status: Int, json: Tree, type: String = "application/json") {
        self.status = status
        fields = [("Content-Type", type), ("Cache-Control", "no-store")]
        // Strings, numbers, arrays and objects always have a form in JSON.
        body = (try? json.json()) ?? []
    }
}
