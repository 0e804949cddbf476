import RestFixtures

// The code of the fixtures' guide. GuideTests checks that both are the same.

func renameOctocat() async throws -> (name: String?, requests: [String: Int]) {
    let server = try FixtureServer.start(
        texts: [
            "users/octocat.json": #"{"id": 1, "login": "octocat", "name": "Mona"}"#,
            "users/hubot.json": #"{"id": 2, "login": "hubot"}"#,
        ])
    let people = try await PeopleAPI(baseURL: server.url)
    let name = try await people.rename("octocat", to: "Lisa").name
    let requests = server.requestCounts
    try await server.stop()
    return (name, requests)
}
