import Testing

@testable import RestEngine

/// Texts that HTTP defines: dates, entity tags, phrases.
struct HTTPFormTests {
    @Test(arguments: [
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (951_868_799, "Tue, 29 Feb 2000 23:59:59 GMT"),
        (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"), (1_735_689_599, "Tue, 31 Dec 2024 23:59:59 GMT"),
        (.max, "Fri, 31 Dec 9999 23:59:59 GMT"),
    ])
    func `Dates are written as RFC 9110 wants them`(_ seconds: Int, text: String) {
        #expect(HTTPDate.text(unixSeconds: seconds) == text)
    }

    @Test(arguments: [
        (#""x""#, true), (#"W/"x""#, true), ("*", true), (#""a", "x""#, true), (#""a","b" ,W/"x","#, true),
        (#""X""#, false), ("x", false), ("", false), (#"w/"x""#, false), ("W/", false), (",", false),
    ])
    func `Entity tags are compared weakly`(_ list: String, matches: Bool) {
        #expect(Array(list.utf8).withUnsafeBytes { EntityTag.list($0, contains: #""x""#) } == matches)
    }

    @Test func `An entity tag is the XXH3 of the content, as xxhsum -H128 shows it`() {
        #expect(EntityTag.strong([]) == #""99aa06d3014798d86001c324468d497f""#)
        #expect(EntityTag.strong(Array("content".utf8)) == #""917e1274274fc195b27a2d2388d9568c""#)
        #expect(EntityTag.strong([], variant: "201") == #""99aa06d3014798d86001c324468d497f-201""#)
    }

    @Test(arguments: [
        ("\"v1\"", "~v1", "\"v1\""), ("W/\"v1\"", "!v1", "W/\"v1\""),
        ("\"a,b~.!-\"", "~a,b~.!-", "\"a,b~.!-\""),
        ("\"\"", "~", "\"\""), (nil, ".", nil), ("v1", ".", nil), ("\"a\"b\"", ".", nil), ("\"é\"", ".", nil),
        ("\"\(String(repeating: "x", count: 300))\"", ".", nil), ("\"", ".", nil), ("W/", ".", nil),
    ])
    func `50.12 The tag of what was made of an API's content has the API's tag in it`(
        of api: String?, suffix: String, source: String?
    ) {
        for variant in [nil, "201"] {
            let plain = EntityTag.strong([], variant: variant)
            let tag = EntityTag.strong([], variant: variant, madeOf: api)
            #expect(tag == "\(plain.dropLast())\(suffix)\"")
            let coded = EntityTag.variant("gzip", of: tag)
            #expect(coded == "\(plain.dropLast())-gzip\(suffix)\"")
            for made in [tag, coded] {
                #expect(EntityTag.source(of: made)?.etag == source)
                #expect(EntityTag.list("\"x,\", \(made)", contains: made))
            }
            #expect(EntityTag.source(of: plain) == nil, "as an API may make its own")
        }
    }

    @Test func `Commas between quotes belong to a tag`() {
        #expect(EntityTag.members(of: " \"a,b\",,W/\"c\" , *") == ["\"a,b\"", "W/\"c\"", "*"])
        #expect(EntityTag.members(of: "\"a,b") == ["\"a,b"] && EntityTag.members(of: " ,").isEmpty)
    }

    @Test func `Contents of any length have a hash of their own`() {
        let bytes = [UInt8](repeating: 0, count: 5000)
        let hashes = (0...bytes.count).map { count in
            bytes[..<count].withUnsafeBytes { ContentHash($0).hex }
        }
        #expect(Set(hashes).count == hashes.count)
        #expect(hashes.allSatisfy { $0.utf8.count == 32 })
    }

    /// On the wire methods have HTTP's names, in an error's text those of the resource model (rules D23).
    @Test(arguments: [
        (100, "Continue", "Continue"), (206, "Partial Content", "Partial content"),
        (308, "Permanent Redirect", "Permanently redirected"),
        (404, "Not Found", "Not found"), (408, "Request Timeout", "Request timed out"),
        (422, "Unprocessable Content", "Client error"), (299, "OK", "Success"),
        (599, "Server Error", "Server error"), (302, "Found", "Found"), (399, "Redirection", "Redirected"),
    ])
    func `A status has one text for the wire and one for people`(status: Int, phrase: String, text: String) {
        #expect(StatusPhrase.text(for: status) == phrase)
        #expect(StatusText.text(for: status) == text)
    }

    @Test(arguments: [(404, "404 Not Found"), (299, "299"), (302, "302 Found"), (103, "103 Early Hints")])
    func `A status for people has its phrase, if there is one`(status: Int, line: String) {
        #expect(StatusPhrase.line(status) == line)
    }

    @Test func `A segment of a path escapes its slashes`() {
        #expect(PercentEncoding.segment(Array("a/b c%:@é".utf8)) == "a%2Fb%20c%25:@%C3%A9")
        #expect(PercentEncoding.path("a/b") == "a/b")
    }
}
