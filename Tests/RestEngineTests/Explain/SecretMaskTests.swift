import TestSupport
import Testing

@testable import RestEngine

struct SecretMaskTests {
    @Test(arguments: [
        ("Authorization", "Bearer abc", "Bearer ***"), ("authorization", "abc", "***"),
        ("Proxy-Authorization", "Basic eDp5", "Basic ***"), ("Authorization", " abc", "***"),
        ("Cookie", "a=b c", "***"), ("Set-Cookie", "a=b", "***"), ("X-Api-Key", "abc", "***"),
        ("apikey", "abc", "***"), ("X-Auth-Token", "abc", "***"), ("X-Client-Secret", "abc", "***"),
        ("x_password", "abc", "***"), ("Accept", "text/plain", "text/plain"),
        ("Referer", "https://u:p@a.test/?token=abc", "https://***@a.test/?token=***"),
        ("Idempotency-Key", "k-1", "k-1"), ("X-Author", "me", "me"), ("Keep-Alive", "5", "5"),
    ]) func `headers by their name`(name: String, value: String, shown: String) {
        #expect(SecretMask.standard.header(name, value) == shown)
    }

    @Test(arguments: [
        "key", "page_token", "pageToken", "nextPageToken", "continuation-token", "NextContinuationToken",
        "next_token", "resumptionToken", "sync_token", "$skiptoken", "clientRequestToken", "max_tokens",
        "tokens", "token_type", "secrets_count", "session_no", "Access-Control-Allow-Credentials",
        "Idempotency-Key", "Signature-Input", "monkey",
    ]) func `47.3 names that only sound like secrets are none`(name: String) {
        #expect(!SecretMask.standard.hides(name))
    }

    @Test(arguments: [
        "token", "access_token", "refreshToken", "id_token", "csrf-token", "X-Amz-Security-Token",
        "client_secret", "api_key", "X-Goog-Api-Key", "AWSSecretAccessKey", "private_key", "user[password]",
        "new_password", "password_confirmation", "passwd", "X-Amz-Signature", "X-Amz-Credential", "sig",
        "auth", "session", "sessionId", "authorization", "credentials", "Proxy-Authorization", "Cookie",
    ]) func `47.3 names of credentials are secret`(name: String) {
        #expect(SecretMask.standard.hides(name))
    }

    @Test func `47.3 the settings take names out, but not those of credentials in headers`() {
        SecretMask.show(names: ["Upload_Token_Smt", "Authorization"])
        SecretMask.hide(names: ["smt_both"])
        SecretMask.show(names: ["smt_both"])
        let mask = SecretMask.standard
        #expect(!mask.hides("upload_token_smt") && !SecretMask.hidesVariable("UPLOAD_TOKEN_SMT"))
        #expect(mask.hides("Authorization") && mask.hides("SMT_BOTH"))
    }

    @Test(arguments: [
        ("Location", "/base/data?access_token=abc", "/base/data?access_token=***"),
        ("Content-Location", "?a=1&api_key=abc#f", "?a=1&api_key=***#f"),
        (
            "Link", "</x?token=abc>; rel=next, </y?page_token=2>",
            "</x?token=***>; rel=next, </y?page_token=2>"
        ),
        ("Refresh", "0; url=/x?sig=abc", "0; url=/x?sig=***"), ("Referer", "/a?b=1", "/a?b=1"),
        ("Origin", "https://u:p@a.test", "https://***@a.test"),
    ]) func `48.2 secrets of relative URLs in headers`(name: String, value: String, shown: String) {
        #expect(SecretMask.standard.header(name, value) == shown)
    }

    @Test(arguments: [
        ("https://a.test/x?page=2", "https://a.test/x?page=2"),
        ("https://a.test/x?access_token=abc&page=2#f", "https://a.test/x?access_token=***&page=2#f"),
        ("https://a.test/x?API%5FKEY=abc", "https://a.test/x?API%5FKEY=***"),
        ("https://a.test/?token", "https://a.test/?token"),
        ("https://u:p@a.test/x", "https://***@a.test/x"),
        ("https://a.test/x@y?b=@", "https://a.test/x@y?b=@"),
        ("https://a.test?u=http://x:y@z/", "https://a.test?u=http://***@z/"), ("not a url", "not a url"),
        ("/x?token=a'b \"c&page=2", "/x?token=***&page=2"), ("//a.test/x?sig=a", "//a.test/x?sig=***"),
    ]) func `passwords and parameters of URLs`(url: String, shown: String) {
        #expect(SecretMask.standard.url(url) == shown)
    }

    @Test(arguments: [
        (
            "GET https://u:p@a.test/x?token=abc: Not found (404)",
            "GET https://***@a.test/x?token=***: Not found (404)"
        ),
        (
            "from <https://u:p@a.test/> to 'http://b.test/?sig=k'.",
            "from <https://***@a.test/> to 'http://b.test/?sig=***'."
        ),
        ("https://a.test/?sig=a&b=c d=e token=f", "https://a.test/?sig=***&b=c d=e token=***"),
        ("no URL: a b?token=c", "no URL: a b?token=***"), ("://u:p@a", "://***@a"), ("", ""),
    ]) func `URLs in a line of text`(line: String, shown: String) {
        #expect(SecretMask.standard.line(line) == shown)
    }

    @Test func `names and values of the user's own`() {
        var mask = SecretMask()
        mask.names = ["X-Tenant"]
        mask.values = ["s3cret", ""]
        #expect(mask.header("x-tenant", "t") == "***")
        #expect(mask.header("Accept", "a s3cret b") == "a *** b")
        #expect(mask.line("s3cret, s3cret") == "***, ***")
        #expect(mask.url("https://a.test/s3cret?x=s3cret") == "https://a.test/***?x=***")
    }

    @Test func `no text makes it fail, and no secret gets through`() {
        var random = SeededRandom(seed: 11)
        let pieces = [
            "https://", "u:p@", "a.test", "/", "?", "token=", "SECRET", "&", "=", "#", "%", "é", "x",
        ]
        for _ in 0..<2000 {
            let text = (0..<Int.random(in: 0...8, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }.joined()
            #expect(
                !SecretMask.standard.url("https://a.test/?token=SECRET&" + text).contains("token=SECRET&"))
            _ = SecretMask.standard.url(text)
            #expect(!SecretMask.standard.line(text + " https://a.test/?token=SECRET x").contains("=SECRET x"))
        }
    }

    @Test func `secrets that were seen are hidden in messages too`() {
        let headers = Headers([
            ("Authorization", "Bearer abcdefgh"), ("X-Token", "short"), ("Accept", "text/plain"),
        ])
        let mask = SecretMask.standard.hiding(headers, url: "https://a.test/?api_key=12%2034567#12345678")
        #expect(mask.line("bad token abcdefgh, short, text/plain") == "bad token ***, short, text/plain")
        #expect(mask.line("12%2034567 12 34567 12345678") == "*** *** 12345678")
        #expect(mask.line("Bearer abcdefgh") == "***")
    }
}
