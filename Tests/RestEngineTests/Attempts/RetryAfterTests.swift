import Testing

@testable import RestEngine

struct RetryAfterTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT
    private static let date = 784_111_777.0

    @Test(
        "41.3: Retry-After is seconds or a date in one of three forms",
        arguments: [
            ("0", .seconds(0)), ("120", .seconds(120)), (" 5\t", .seconds(5)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", .seconds(60)), ("Sunday, 06-Nov-94 08:49:37 GMT", .seconds(60)),
            ("Sun Nov  6 08:49:37 1994", .seconds(60)), ("sun, 06 nov 1994 08:49:37 GMT", .seconds(60)),
            ("Sun, 06 Nov 1994 08:48:37 GMT", .seconds(0)), ("Sun, 06 Nov 1994 08:48:36 GMT", .past),
            ("Thu, 01 Jan 1970 00:00:00 GMT", .past), ("99999999999999999999", .seconds(1e15)),
            ("", .malformed), ("-30", .malformed), ("1.5", .malformed), ("soon", .malformed),
            ("+5", .malformed), ("5 s", .malformed), ("0x10", .malformed), ("1e3", .malformed),
            ("Sun, 31 Feb 1994 08:49:37 GMT", .malformed), ("Sun, 06 Nov 1994 25:49:37 GMT", .malformed),
            ("Sun, 06 Nov 1994 08:49:37 CET", .malformed), ("Sun, 06 Nov 1994 08:49 GMT", .malformed),
            ("GMT", .malformed), (", GMT", .malformed), ("Sun, 06-Nov-1994 08:49:37 GMT", .malformed),
            (String(repeating: " ", count: 5000) + "x", .malformed), ("٣", .malformed),
        ] as [(String, RetryAfter)])
    func forms(text: String, expected: RetryAfter) {
        #expect(RetryAfter(text, now: Self.date - 60) == expected)
    }

    @Test func `two digits of a year mean the past when they are far ahead`() {
        #expect(HTTPDate.seconds("Sunday, 06-Nov-94 08:49:37 GMT", now: 1_700_000_000) == Self.date)
        #expect(HTTPDate.seconds("Wednesday, 06-Nov-30 08:49:37 GMT", now: 1_700_000_000) == 1_920_185_377)
    }

    @Test func `what is written is read`() {
        for seconds in [0, 1, 951_782_400, 1_700_000_000, 4_102_444_799] {
            #expect(HTTPDate.seconds(HTTPDate.text(unixSeconds: seconds), now: 0) == Double(seconds))
        }
    }

    @Test func `41.3: absurd times are clamped, past or malformed ones ignored, and each is reported`() {
        #expect(RetryAfter.seconds(3).wait(cap: 10) == 3 && RetryAfter.seconds(3).remark(cap: 10) == nil)
        #expect(RetryAfter.seconds(1e9).wait(cap: 10) == 10)
        #expect(RetryAfter.seconds(1e9).remark(cap: 10)?.contains("more than 10.0 s") == true)
        #expect(RetryAfter.past.wait(cap: 10) == nil && RetryAfter.past.remark(cap: 10) != nil)
        #expect(RetryAfter.malformed.wait(cap: 10) == nil && RetryAfter.malformed.remark(cap: 10) != nil)
    }
}
