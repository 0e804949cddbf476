import TestSupport
import Testing

@testable import RestEngine

/// The values of secret fields in bodies (rule 47.3).
struct SecretScanTests {
    private func shown(_ text: String, _ type: String?) -> String {
        String(decoding: SecretMask.standard.body(Array(text.utf8), type), as: UTF8.self)
    }

    @Test(arguments: [
        (#"{"password":"a","user":"b"}"#, #"{"password":"***","user":"b"}"#),
        (#"{ "api_key" : "a\"b\\", "n": 1.50 }"#, #"{ "api_key" : "***", "n": 1.50 }"#),
        (#"{"token":12,"max_tokens":5,"secret":-1.5e3}"#, #"{"token":0,"max_tokens":5,"secret":0}"#),
        (
            #"{"token":null,"secret":{"a":1},"session":[true]}"#,
            #"{"token":null,"secret":{"a":1},"session":[true]}"#
        ),
        (#"{"token":{"password":"a"}}"#, #"{"token":{"password":"***"}}"#),
        (#"{"a":"token","b":":","c":"x"}"#, #"{"a":"token","b":":","c":"x"}"#),
        (#"{"access\u005ftoken":"a"}"#, #"{"access\u005ftoken":"***"}"#),
        // A string that is JSON, and a JSON string inside of it.
        (#"{"s":"{\"token\":\"a\",\"b\":1}"}"#, #"{"s":"{\"token\":\"***\",\"b\":1}"}"#),
        (
            #"{"s":"{\"s\":\"{\\\"token\\\":\\\"a\\\"}\"}"}"#,
            #"{"s":"{\"s\":\"{\\\"token\\\":\\\"***\\\"}\"}"}"#
        ),
        (
            #"{"next":"/x?a=1&token=abc","e":"/x?a=1\u0026token=abc"}"#,
            #"{"next":"/x?a=1&token=***","e":"/x?a=1\u0026token=***"}"#
        ),
        // JSON that is cut, and text that isn't JSON.
        (#"{"a":1,"token":"abc"#, #"{"a":1,"token":"***"#),
        (#"{'x', "token":"abc",}"#, #"{'x', "token":"***",}"#),
        // A cut inner string ends with the outer string.
        (
            #"{"l":["{\"token\":\"a","b"],"m":"password = \"x\""}"#,
            #"{"l":["{\"token\":\"***","b"],"m":"password = \"***\""}"#
        ),
    ]) func `in JSON, whatever it lies in, and a value keeps its type`(text: String, expected: String) {
        #expect(shown(text, "application/json") == expected)
    }

    @Test(arguments: [
        (
            "a=1&password=b+c&page_token=2", "application/x-www-form-urlencoded",
            "a=1&password=***&page_token=2"
        ),
        ("api%5Fkey=b", "application/x-www-form-urlencoded", "api%5Fkey=***"),
        ("token=abc&x=1\nDB_PASSWORD=p q", "text/plain", "token=***&x=1\nDB_PASSWORD=*** q"),
        (
            "data: {\"token\":\"abc\"}\n\ndata: token=abc\n\n", "text/event-stream",
            "data: {\"token\":\"***\"}\n\ndata: token=***\n\n"
        ),
        ("<a href='/x?token=abc'>", "text/html", "<a href='/x?token=***'>"),
        ("<input name=\"password\">", "text/html", "<input name=\"password\">"),
    ]) func `in forms, lines and links`(text: String, type: String, expected: String) {
        #expect(shown(text, type) == expected)
    }

    @Test(arguments: [
        // A string of Lua, or of other code, in a JSON string.
        (#"{"code":"password = \"a b\", x"}"#, #"{"code":"password = \"***\", x"}"#),
        (#"{"s":"{\"s\":\"password=\\\"a\\\"\"}"}"#, #"{"s":"{\"s\":\"password=\\\"***\\\"\"}"}"#),
        (
            #"{"s":"Authorization: Bearer a\r\nAccept: b"}"#,
            #"{"s":"Authorization: Bearer ***\r\nAccept: b"}"#
        ),
        (#"{"s":"line\nsig=a\ttoken=b"}"#, #"{"s":"line\nsig=***\ttoken=***"}"#),
        (#"{"url":"https:\/\/u:p@a.test\/"}"#, #"{"url":"https:\/\/***@a.test\/"}"#),
        // Text that isn't JSON.
        (#"{"token":abc,"b":1}"#, #"{"token":***,"b":1}"#), (#"{token:"abc",b:1}"#, #"{token:"***",b:1}"#),
        (#"{'token':'abc','b':1}"#, #"{'token':'***','b':1}"#),
        (#"{"token" "abc", "secret":"d"}"#, #"{"token" "abc", "secret":"***"}"#),
        (#"{"a":"b,"token":"abc"}"#, #"{"a":"b,"token":"***"}"#),
        (#"{"token":'abc'}"#, #"{"token":'***'}"#), (#"{"token":"abc\"#, #"{"token":"***"#),
    ]) func `in JSON that is broken, and in strings of it that are something else`(
        text: String, expected: String
    ) {
        #expect(shown(text, "application/json") == expected)
        #expect(SecretMask.standard.line(text) == expected)
    }

    @Test(arguments: [
        ("Authorization: Bearer a b\nX: y", "Authorization: Bearer ***\nX: y"),
        ("Cookie: a=b; c=d\nX: y", "Cookie: ***\nX: y"),
        ("curl -H 'Cookie: a=b' x", "curl -H 'Cookie: ***' x"),
        (#"["X-Api-Key"] = "a", b = "c""#, #"["X-Api-Key"] = "***", b = "c""#),
        ("(token=a) x", "(token=***) x"),
        ("password='a b' c", "password='***' c"), (#"password=dom\user\\x y"#, "password=*** y"),
        ("unknown option 'token': did you mean 'tokens'?", "unknown option 'token': did you mean 'tokens'?"),
        ("the token: it is expired", "the token: it is expired"), ("token = x", "token = x"),
        ("{ Authorization = \"Bearer ***\" }", "{ Authorization = \"Bearer ***\" }"),
        ("at 12:30 a=b c:d http://a.test:80/x", "at 12:30 a=b c:d http://a.test:80/x"),
    ]) func `in text for people`(text: String, expected: String) {
        #expect(SecretMask.standard.line(text) == expected)
    }

    @Test func `in a tree a value keeps its type, and its strings are texts`() {
        let tree: Tree = [
            "token": "a", "secret": 5, "auth": true, "Authorization": "Bearer a", "list": ["?sig=a", 1],
            "session": ["password": "b", "text": "password=c"] as Tree,
        ]
        #expect(
            MaskedText(json: tree).text
                == #"{"token":"***","secret":0,"auth":true,"Authorization":"Bearer ***","list":["?sig=***",1],"#
                + #""session":{"password":"***","text":"password=***"}}"#)
    }

    @Test func `what has nothing to hide is the same bytes, text or not`() {
        for bytes: [UInt8] in [[], [0xFF, 0x22, 0x74], Array(#"{ "a" : 1.10 }"#.utf8)] {
            #expect(SecretMask.standard.body(bytes, "application/json") == bytes)
        }
        let binary = [0xFF] + Array("?token=abc".utf8)
        #expect(SecretMask.standard.body(binary, "image/png") == binary)
    }

    @Test(arguments: [
        "token=abc&", "token = \"a\"", "=", ":", "://", "'a':", "://a@", "\\\":", "Cookie: a",
        #"{"token":"abc"},"#, #"\"\\"#, "\"", "?", "\\", "x", "& ", #""token":"#, "a=",
        #"{\"token\":\"a\"}"#,
    ]) func `48.4 twice as long a text takes twice the work`(piece: String) {
        for pairs in [SecretScan.Pairs.inURL, .inURLs, .inForm, .inWords] {
            let work = [1000, 2000].map { count in
                Array(String(repeating: piece, count: count).utf8).withUnsafeBufferPointer {
                    var scan = SecretScan($0, pairs, hidingBy: .standard)
                    _ = scan.masked()
                    return scan.steps
                }
            }
            #expect(work[1] <= 2 * work[0] + 300, "\(piece): \(work)")
            #expect(work[1] <= 12 * 2000 * piece.utf8.count, "\(piece): \(work)")
        }
    }

    @Test func `no text makes it fail, and masked twice is masked once`() {
        var random = SeededRandom(seed: 3)
        let pieces = [
            "\"", "\\", "token", ":", "1", "=", "&", "?", " ", "\n", "{", "a", "%5", "\\u0026", "'", "://",
            "@",
            "Authorization", "code", "0123456789abcdef", "[", "]", ",",
        ]
        for _ in 0..<5000 {
            let text = (0..<Int.random(in: 0...14, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }.joined()
            for type in ["application/json", "text/plain", "application/x-www-form-urlencoded"] {
                let once = shown(text, type)
                #expect(shown(once, type) == once, "\(text)")
            }
        }
    }
}
