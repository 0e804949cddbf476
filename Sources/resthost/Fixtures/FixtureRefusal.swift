import RestEngine

/// A request that is answered with an error.
struct FixtureRefusal: Error, Equatable {
    let response: FixtureResponse

    init(
        _ status: Int, _ text: String? = nil, headers: [(String, String)] = [],
        details: [(String, Tree)] = []
    ) {
        response = .message(status, text, headers: headers, details: details)
    }

    static var notFound: FixtureRefusal { FixtureRefusal(404) }

    static func notAllowed(_ methods: [String]) -> FixtureRefusal {
        FixtureRefusal(405, headers: [("Allow", methods.joined(separator: ", "))])
    }

    static func malformed(_ error: JSONError) -> FixtureRefusal {
        FixtureRefusal(
            400, "Problems parsing JSON",
            details: [("offset", Tree(error.offset))])
    }
}
