import RestClient

@main
struct SwiftCalls {
    static func main() async throws {
        guard CommandLine.arguments.count == 2 else { return print("usage: SwiftCalls URL") }
        let people = try People(url: CommandLine.arguments[1])
        try await send(people)
        try await change(people)
        try await useTypes()
    }

    static func send(_ people: People) async throws {
        print("A call is awaited like a function:")
        print("  \(try await people.user("octocat")().name ?? "")")

        print("Its answer has status, headers and body too:")
        let response = try await people.user("octocat").response()
        print("  \(response.status ?? 0), \(response.headers["Content-Type"] ?? ""), \(response.value.login)")

        print("A modifier makes another call:")
        let all = people.repositories(of: "octocat")
        let page = all.adding {
            Query("page", 2)
            Query("per_page", 2)
        }
        print("  \(try await all().count) in all, \(try await page().map(\.name)) on the second page")

        print("Values of a path are escaped, or refused where they would lead elsewhere:")
        print("  \(people.user("a/b c").path?.map(\.text) ?? [])")
        print("  \(people.user("..").failure?.message ?? "")")

        print("The events of a resource, each with the newest value:")
        for await update in people.user("hubot").updates {
            print("  \(update.event.name): \(update.value?.login ?? "nobody yet")")
            if update.value != nil { break }
        }
    }

    static func change(_ people: People) async throws {
        print("A body is any Encodable value, and Void takes any success:")
        let ada = try await people.add(NewUser(login: "ada", name: "Ada"))()
        print("  \(ada.login) is there: \(try await people.user("ada")().name ?? "")")
        try await people.delete("ada")()
        do throws(RequestError) { try await people.user("ada")() } catch {
            print("  and gone: \(error.userMessage) (\(error.httpStatusCode ?? 0))")
        }

        print("Credentials are asked for with each request:")
        do throws(RequestError) { try await people.allNotes() } catch {
            print("  \(error.userMessage) (\(error.httpStatusCode ?? 0))")
        }
        try await people.logIn()
        print("  \(try await people.allNotes().map(\.title).count) notes")
    }

    static func useTypes() async throws {
        print("The same as types:")
        print("  \(try await PeopleService.Users.get("octocat")().name ?? "")")
        let page = try await PeopleService.Users.repositories(of: "octocat", page: 1)()
        print("  \(page.map(\.name))")

        print("With what the context asks for, and with a completion handler:")
        let users: [User] = try await PeopleService.Users.all.send()
        print("  \(users.map(\.login))")
        await PeopleService.Users.all.send { (result: Result<[User], RequestError>) in
            switch result {
            case .success(let users): print("  \(users.count) users")
            case .failure(let error): print("  \(error)")
            }
        }.value
    }
}
