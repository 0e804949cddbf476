import RestEngine

/// Uses every example once, against the API in ../guide/fixtures. See `run`.
@main
struct SwiftGuide {
    static func main() async throws {
        guard CommandLine.arguments.count == 2 else { return print("usage: SwiftGuide URL") }
        try await use(await API(url: CommandLine.arguments[1]))
    }

    @EngineActor
    static func use(_ api: API) async throws {
        let echo = try await globalHeader(api).resource("/-/echo").get().json
        print("global_header: \(["secret": echo["headers"]?["x-app-secret"] ?? .null] as Tree)")

        let knob = try knobs(api).resource("/rooms/kitchen/knob")
        await show("knobs", knob)
        try await Task.sleep(for: .seconds(1))
        print("knobs, a second later: \(["up_to_date": Tree(knob.isUpToDate)] as Tree)")

        let key = try await predicate(api).resource("/-/echo").get().json
        print("predicate: \(["key": key["headers"]?["x-key"] ?? .null] as Tree)")

        let changing = try ChangingToken(api)
        let login = changing.session.request(.post, json: API.credentials)
        _ = try await changing.session.load(using: login).entity()
        await show("changing_token", changing.service.resource("/private/notes"))

        await show("login_on_401", try loginOn401(api).resource("/private/notes"))
        let refresh = try TokenRefresh(api)
        await show("token_refresh", refresh.service.resource("/private/notes"))
        let byHand = try TokenRefreshByHand(api)
        await show("token_refresh_by_hand", byHand.service.resource("/private/notes"))

        let ada = try modelMapping(api).resource("/users/ada")
        let person = try await ada.get(as: Person.self)
        print("model_mapping: \(try TreeEncoder().encode(person))")
        print("model_mapping: \(person.greeting)")

        await show("custom_stages", try customStages(api).resource("/users/ada"))
        await show("content_type", try contentType(api).resource("/reports/g"))
        await show("transformer_module", try summaries(api).resource("/reports/g"))
        await show("error_message", try errorMessage(api).resource("/private/notes"))

        let parsed = try parsesOnce(api).resource("/users/ada")
        async let first = parsed.get()
        async let second = parsed.get()
        _ = try await (first, second)
        await show("parses_once", parsed)
    }

    /// The content as JSON, or the error's message for people.
    @EngineActor
    private static func show(_ name: String, _ resource: Resource) async {
        do {
            let entity = try await resource.get()
            let user: User? = entity.typedContent()
            print("\(name): \(try user.map { try TreeEncoder().encode($0) } ?? entity.json)")
        } catch let error as RequestError {
            print("\(name): \(error.userMessage)")
        } catch { print("\(name): \(error)") }
    }
}
