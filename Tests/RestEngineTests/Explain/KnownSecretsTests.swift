import Platform
import TestSupport
import Testing

@testable import RestEngine

/// These texts don't occur in other tests, because a hidden text is hidden in the whole process.
struct KnownSecretsTests {
    private func shown(_ text: String, _ mask: (UnsafeBufferPointer<UInt8>) -> [UInt8]?) -> String {
        Array(text.utf8).withUnsafeBufferPointer(mask).map { String(decoding: $0, as: UTF8.self) } ?? text
    }

    @Test(arguments: [
        ("kss-plain-1", "a kss-plain-1, b", "a ***, b"),
        ("kss plain/2?", "https://a.test/kss%20plain%2F2%3F", "https://a.test/***"),
        ("kss plain/3?", "/kss%20plain/3%3F", "/***"),
        ("kss\"quoted\\4", #"{"x":"kss\"quoted\\4"}"#, #"{"x":"***"}"#),
        ("kss'shell'5", #"'kss'\''shell'\''5'"#, "'***'"),
        ("kss-base64-6", "Basic a3NzLWJhc2U2NC02", "Basic ***"),
        ("kss\nline-7", "kss\\nline-7", "***"),
        ("-----BEGIN K-----\nkss-0123456789abcdef\n", "x kss-0123456789abcdef x", "x *** x"),
        ("kss-ünïcode-8", "kss-ünïcode-8 kss-%C3%BCn%C3%AFcode-8", "*** ***"),
        ("kss-url-9", "GET https://a.test/kss-url-9?x=kss-url-9: no", "GET https://a.test/***?x=***: no"),
    ])
    func `47.2 a text is hidden as it is and in each form`(secret: String, shown: String, masked: String) {
        #expect(SecretMask.hide(secret))
        #expect(SecretMask.standard.line(shown) == masked)
        #expect(SecretMask().line(shown).contains("kss") == false)
        #expect(MaskedText(output: Array(shown.utf8)).text == masked)
    }

    @Test func `47.2 the first bytes of a long text are hidden as well`() {
        let secret = String(repeating: "kssr", count: 1000) + "!"
        #expect(SecretMask.hide(secret))
        let repeated = String(repeating: "kssr", count: 50_000)
        let start = ClockReading.threadTime
        let shown = SecretMask.standard.line("a " + repeated + " b")
        #expect(!shown.contains("kssr") && shown.hasPrefix("a ***") && shown.hasSuffix(" b"))
        #expect(ClockReading.threadTime - start < 2)
        #expect(SecretMask.standard.line("kssrkssr") == "kssrkssr")
    }

    @Test func `47.2 texts that are too short or too long are refused`() {
        #expect(!SecretMask.hide("") && !SecretMask.hide("12345"))
        #expect(!SecretMask.hide(String(repeating: "k", count: KnownSecrets.mostBytes + 1)))
        #expect(SecretMask.standard.line("a 12345") == "a 12345")
    }

    @Test func `47.2 of two that begin alike the longer one is found`() {
        SecretMask.hide("kss-alike")
        SecretMask.hide("kss-alike-longer")
        #expect(SecretMask.standard.line("kss-alike-longer kss-alike!") == "*** ***!")
    }

    @Test func `47.2 of many the oldest is forgotten, and the last known`() {
        let known = KnownSecrets()
        for number in 0...KnownSecrets.mostRecent { #expect(known.hide("secret-\(number).", isFixed: false)) }
        #expect(shown("secret-0. secret-1.", known.masked) == "secret-0. ***")
        #expect(shown("secret-\(KnownSecrets.mostRecent).", known.masked) == "***")
        // A secret that is given again becomes the youngest one.
        #expect(known.hide("secret-1.", isFixed: false))
        #expect(known.hide("secret-new.", isFixed: false))
        #expect(shown("secret-1. secret-2.", known.masked) == "*** secret-2.")
    }

    @Test func `limit L314: many long texts take a size, and the oldest is forgotten`() {
        let known = KnownSecrets(recentBytes: 20_000)
        let long = String(repeating: "%", count: 400)
        for number in 10..<30 { #expect(known.hide("secret-\(number)" + long, isFixed: number == 10)) }
        #expect(shown("secret-10" + long, known.masked) == "***")
        #expect(shown("secret-11" + long, known.masked) != "***")
        #expect(shown("secret-29" + long, known.masked) == "***")
        // One that has no room stays until the next one comes.
        #expect(known.hide("secret-x" + String(repeating: "%", count: 30_000), isFixed: false))
        #expect(shown("secret-x" + long, known.masked) == "***")
    }

    @Test func `47.2 a new text costs the same however many there are`() throws {
        let ratio = try growth(from: 100, by: 4) { count in
            let known = KnownSecrets()
            for number in 0..<count { _ = known.hide("kss-growing-\(number)", isFixed: false) }
        }
        #expect(ratio < 9, "\(ratio)")
    }

    @Test func `47.2 texts with a common beginning are found as fast as others`() {
        let known = KnownSecrets()
        let beginning = String(repeating: "a", count: 62)
        for number in 0..<900 { _ = known.hide("\(beginning)\(number)!", isFixed: false) }
        let text = String(repeating: "a", count: 60_000)
        let start = ClockReading.threadTime
        #expect(shown(text + "17!", known.masked) == String(repeating: "a", count: 59_938) + "***")
        #expect(ClockReading.threadTime - start < 2)
    }

    @Test func `47.3 names of the settings are as the usual ones`() {
        SecretMask.hide(names: ["X-Kss-Customer"])
        #expect(SecretMask.standard.header("x-kss-customer", "4711") == "***")
        #expect(
            SecretMask.standard.url("https://a.test/?X-KSS-Customer=1&b=2")
                == "https://a.test/?X-KSS-Customer=***&b=2")
        let body = SecretMask.standard.body(Array(#"{"x-kss-customer":"4711"}"#.utf8), "application/json")
        #expect(String(decoding: body, as: UTF8.self) == #"{"x-kss-customer":"***"}"#)
    }

    @Test(arguments: [
        ("GITHUB_TOKEN", true), ("API_KEY", true), ("APIKEY", true), ("DB_PASSWORD", true),
        ("CLIENT_SECRET", true),
        ("DB_PASS", true), ("KEY", true), ("HOME", false), ("KEYBOARD", false), ("XDG_SESSION_TYPE", false),
        ("OLDPWD", false), ("PATH", false),
    ])
    func `47.4 variables with a secret's name`(name: String, isSecret: Bool) {
        #expect(SecretMask.hidesVariable(name) == isSecret)
    }

    @Test func `47.4 their values are hidden`() {
        SecretMask.hide(environment: [
            "KSS_TOKEN": "kss-variable-1", "KSS_NAME": "kss-variable-2", "A_KEY": "1",
        ])
        #expect(SecretMask.standard.line("kss-variable-1 kss-variable-2 1") == "*** kss-variable-2 1")
    }

    @Test func `47.1 errors mask what is known, wherever they have it from`() {
        SecretMask.hide("kss-error-1")
        let error = RequestError(
            userMessage: "no kss-error-1", cause: .internal(message: "kss-error-1 broke"), timestamp: 0,
            url: "https://a.test/kss-error-1", method: "GET")
        #expect("\(error)" == "GET https://a.test/***: no ***: *** broke")
        #expect(!error.reason.contains("kss-error-1"))
    }

    @Test func `no text makes the search fail, and it agrees with a slow one`() {
        var random = SeededRandom(seed: 3)
        let needles = ["aab", "aabaab", "b", "ab", "ba"].map { $0 + $0 + $0 + "x" }
        let search = SecretSearch(needles)
        for _ in 0..<2000 {
            let text = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                ["a", "b", "x", needles.randomElement(using: &random) ?? ""].randomElement(using: &random)
                    ?? ""
            }.joined()
            var left = text[...]
            var expected = ""
            let known = needles.filter { $0.utf8.count >= KnownSecrets.fewestBytes }
                .sorted { $0.utf8.count > $1.utf8.count }
            while let first = left.first {
                if let found = known.first(where: { left.hasPrefix($0) }) {
                    expected += "***"
                    left = left.dropFirst(found.count)
                } else {
                    expected.append(first)
                    left = left.dropFirst()
                }
            }
            #expect(shown(text, search.masked) == expected)
        }
    }
}
