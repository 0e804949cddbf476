import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct CodecTests {
    @Test(arguments: [
        ("rest.json.encode({ 1, 'a', true, rest.null })", "[1,\"a\",true,null]"),
        ("rest.json.encode(nil)", "null"),
        ("rest.json.encode('é\\n')", "\"é\\n\""), ("rest.json.encode(1.0)", "1.0"),
        ("rest.json.encode({})", "{}"),
        ("rest.json.encode(rest.json.array {})", "[]"), ("rest.json.encode(rest.json.array())", "[]"),
        ("rest.json.encode(rest.json.object { 1 })", "{\"1\":1}"),
        ("rest.json.encode(math.mininteger)", "-9223372036854775808"),
        ("rest.json.encode({ a = { b = {} } })", "{\"a\":{\"b\":{}}}"),
        ("rest.json.decode('{\"a\":[1,2.5,null]}').a[2]", "2.5"),
        ("rest.json.decode('null') == rest.null", "true"),
        ("rest.json.decode(' 5 ')", "5"), ("math.type(rest.json.decode('9007199254740993'))", "integer"),
        ("rest.json.decode('{')", "nil\tmalformed JSON at byte 1: a key is a string"),
        ("rest.json.decode('')", "nil\tmalformed JSON at byte 0: no value, the text is empty"),
        ("rest.json.encode(rest.json.decode('{\"b\":[],\"a\":{}}').b)", "[]"),
        ("rest.base64.encode('')", ""), ("rest.base64.encode('f')", "Zg=="),
        ("rest.base64.encode('fo')", "Zm8="),
        ("rest.base64.encode('foo')", "Zm9v"), ("rest.base64.encode('foob')", "Zm9vYg=="),
        ("rest.base64.encode('\\251\\255\\254')", "+//+"), ("rest.base64.decode('Zm9vYg==')", "foob"),
        ("rest.base64.decode('Zm9vYg')", "foob"), ("rest.base64.decode('')", ""),
        ("rest.base64.decode('-__-') == rest.base64.decode('+//+')", "true"),
        ("rest.base64.decode('Zm9v!')", "nil\tnot base64: 5 characters can't be right"),
        ("rest.base64.decode('Zm9!')", "nil\tnot base64: bad character at byte 3"),
        ("rest.base64.decode('Zg=')", "nil\tnot base64: 3 characters can't be right"),
        ("rest.base64.decode('Z=g=')", "nil\tnot base64: bad character at byte 1"),
        ("rest.base64.decode('Zg==\\n')", "nil\tnot base64: 5 characters can't be right"),
        ("rest.url.encode('a b/ü&=+?~')", "a%20b%2F%C3%BC%26%3D%2B%3F~"),
        ("rest.url.decode('a%20b%C3%BC+%zz')", "a bü+%zz"),
        ("rest.url.decode(rest.url.encode('\\0\\255')) == '\\0\\255'", "true"),
        ("rest.url.parse('https://u@h:81/p?q#f').path", "/p"),
        ("rest.url.parse('https://h:81/p?q#f').port", "81"),
        ("rest.url.parse('https://H/p?q#f').host", "h"), ("rest.url.parse('https://h').fragment", "nil"),
        ("rest.url.parse('https://h/?a=1&b=x%20y&b=&c').params.b[1]", "x y"),
        ("#rest.url.parse('https://h/?a=1&b=x%20y&b=&c').params.b", "2"),
        ("rest.url.parse('https://h/?a=1&b&c').params.a", "1"),
        ("next(rest.url.parse('https://h').params)", "nil"),
        ("rest.url.parse('no url')", "nil\t'no url' is not a URL"), ("rest.version", Version.text),
        ("rest.null", "null"), ("rest.null == rest.null", "true"), ("type(rest.now())", "number"),
    ])
    func `values in, values out`(source: String, expected: String) throws {
        try expect("print(\(source))", prints: [expected])
    }

    @Test(arguments: [
        ("rest.json.encode()", "bad argument #1 'value' to 'rest.json.encode' (value expected)"),
        ("rest.json.encode(print)", "cannot encode as JSON: a function can't be content"),
        ("rest.json.encode({ a = { print } })", "cannot encode as JSON: a[1]: a function can't be content"),
        ("rest.json.encode(0/0)", "cannot encode as JSON: NaN and infinities have no JSON form"),
        ("rest.json.encode('\\255')", "cannot encode as JSON: a string that is not UTF-8"),
        (
            "local t = {} t.t = t rest.json.encode(t)",
            "cannot encode as JSON: t: a table that contains itself"
        ),
        (
            "rest.json.encode({ 1, a = 2 })",
            "cannot encode as JSON: a table with both a list's and an object's keys: 'a' beside [1]"
        ),
        (
            "rest.json.decode()",
            "bad argument #1 'text' to 'rest.json.decode' (string expected, got no value)"
        ),
        ("rest.json.array(5)", "bad argument #1 't' to 'rest.json.array' (table expected, got number)"),
        (
            "rest.base64.encode(5)",
            "bad argument #1 'bytes' to 'rest.base64.encode' (string expected, got number)"
        ),
        ("rest.base64.encod('')", "unknown field 'encod' on rest.base64: did you mean 'encode'?"),
        ("rest.url.encode()", "bad argument #1 'text' to 'rest.url.encode' (string expected, got no value)"),
    ])
    func `a wrong call raises`(source: String, message: String) {
        #expect(loadError(source) == "1: \(message)")
    }

    @Test(arguments: [
        "foo", "endpoint", "test",
    ])
    func `what rest doesn't have is an error with its place`(name: String) throws {
        let error = try #require(loadError("\nlocal x = rest.\(name)"))
        #expect(error.hasPrefix("2: unknown field '\(name)' on rest"))
    }

    @Test(arguments: [
        ("rest.servce {}", "unknown field 'servce' on rest: did you mean 'service'?"),
        ("rest.mine = 1", "'rest' can't be changed: keep your own values in a table of your own"),
        ("rest.log.warning('x')", "unknown field 'warning' on rest.log: did you mean 'warn'?"),
    ])
    func `names of rest are strict`(source: String, message: String) {
        #expect(loadError(source) == "1: \(message)")
    }
}
