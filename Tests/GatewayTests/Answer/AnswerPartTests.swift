import Testing

@testable import Gateway

@Suite struct AnswerPartTests {
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

    @Test func `Times that have no number of seconds are written all the same`() {
        #expect(AnswerWriter.wholeSeconds(.nan) == 0)
        #expect(AnswerWriter.wholeSeconds(-.infinity) == 0)
        #expect(AnswerWriter.wholeSeconds(1.9) == 1)
        #expect(AnswerWriter.wholeSeconds(.infinity) > 1_000_000)
    }
}
