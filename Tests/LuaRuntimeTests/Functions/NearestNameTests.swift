import LuaRuntime
import Testing

struct NearestNameTests {
    private static let fields = [
        "user_message", "http_status_code", "entity", "cause", "timestamp", "url", "method", "attempt",
        "text", "json",
    ]

    @Test(
        arguments: [
            // Misspelled.
            ("user_mesage", "user_message"), ("metod", "method"), ("jsno", "json"), ("URL", "url"),
            // The beginning, or more than all of it.
            ("time", "timestamp"), ("textual", "text"),
            // One word of a longer name, or the other way round.
            ("message", "user_message"), ("status", "http_status_code"), ("status_code", "http_status_code"),
            ("error_cause", "cause"),
            // Nothing of the kind.
            ("zzzzzz", nil), ("_", nil), ("", nil), ("x", nil),
        ] as [(String, String?)])
    func `a name stands for the one that is meant`(name: String, meant: String?) {
        #expect(
            NearestName.advice(name, among: Self.fields) == (meant.map { ": did you mean '\($0)'?" } ?? ""))
    }
}
