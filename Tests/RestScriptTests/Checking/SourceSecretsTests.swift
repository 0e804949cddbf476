import Testing

@testable import RestScript

/// Rule 47.1, for lines of a script in messages.
struct SourceSecretsTests {
    @Test(arguments: [
        (#"c:add(rest.auth.basic("me", "s3cret"))"#, #"c:add(rest.auth.basic("***", "***"))"#),
        (#"login("me", f("a"), "s3cret") print "b""#, #"login("***", f("***"), "***") print "b""#),
        (#"api:log_in { user = "me", pin = 's3cret' }"#, #"api:log_in { user = "***", pin = "***" }"#),
        ("rest.secret 's3cret'", #"rest.secret "***""#),
        ("basic(\n'me',\n[[\ns3cret]])\nx = 'y'", "basic(\n\"***\",\n\"***\"\n)\nx = 'y'"),
        (#"local user, password = "me", "s3cret""#, #"local user, password = "***", "***""#),
        ("local password, n = 's3cret'\nx = 'y'", "local password, n = \"***\"\nx = 'y'"),
        (#"rest.crypto.hmac("sha256", "s3cret", x)"#, #"rest.crypto.hmac("***", "***", x)"#),
    ]) func `strings of calls with credentials are hidden`(source: String, shown: String) {
        #expect(String(decoding: SourceSecrets.masked(Array(source.utf8)), as: UTF8.self) == shown)
    }

    @Test(arguments: [
        #"api:resource("/login"):get()"#, #"if user == password, "x" then end"#, "-- login('x')",
        #"error("no password") local basic = f("x")"#, #"print("basic", "x")"#, #"t.password, x == "y""#,
        "local function login(user) error('no') end",
    ]) func `other strings stay`(source: String) {
        #expect(String(decoding: SourceSecrets.masked(Array(source.utf8)), as: UTF8.self) == source)
    }
}
