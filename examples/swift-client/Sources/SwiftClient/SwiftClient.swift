import RestEngine

@main
struct SwiftClient {
    static func main() async throws {
        guard CommandLine.arguments.count == 2 else { return print("usage: SwiftClient URL") }
        let api = try await PeopleAPI(baseURL: CommandLine.arguments[1])

        print("A model:")
        let user = try await api.user("octocat").get(as: User.self)
        print("  \(user.name) is with \(user.company ?? "nobody") since \(user.createdAt.prefix(4))")

        print("It is fresh, so nothing is requested:")
        print("  \(try await api.user("octocat").get(as: User.self).name)")

        print("The first three of a list that a transformer sorted:")
        for repository in try await api.repositories(of: "octocat").get(as: [Repository].self).prefix(3) {
            print("  \(repository.name) has \(repository.stargazersCount) stars")
        }

        print("Two at once need a token, which is got once:")
        async let notes = api.notes.get(as: [Note].self)
        async let again = api.notes.withParam("page", "1").request(.get).content(as: [Note].self)
        print("  \(try await notes.filter(\.pinned).map(\.title)), \(try await again.count) in all")

        try await watch(api.user("hubot"))
        await fail(api.user("nobody"))
        await cancel(api.user("octocat").withParam("delay", "10"))
    }

    static func watch(_ resource: Resource) async throws {
        print("Events, each with the state that it made:")
        for await update in await resource.events() {
            let user: User? = update.snapshot.typedContent()
            print("  \(update.event.name): \(user?.name ?? "nobody yet")")
            switch update.event {
            case .observerAdded: await resource.load()
            case .newData, .notModified, .error: return
            default: break
            }
        }
    }

    static func fail(_ resource: Resource) async {
        print("An error says what happened to which request, and has the body:")
        do throws(RequestError) {
            _ = try await resource.get()
        } catch {
            print(
                "  \(error.userMessage) (\(error.httpStatusCode ?? 0)): \(error.json["message"]?.string ?? "")"
            )
        }
    }

    static func cancel(_ resource: Resource) async {
        print("A request that would take ten seconds, cancelled with its task:")
        let task = Task { try await resource.request(.get).entity() }
        task.cancel()
        if case .failure(let error as RequestError) = await task.result { print("  \(error.userMessage)") }
    }
}
