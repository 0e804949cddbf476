import Testing

@testable import RestEngine

struct RateLimitFieldsTests {
    private static let now = 1_700_000_000.0

    @Test(
        "42.5: what servers say of their limit, in each form",
        arguments: [
            ([("RateLimit", "\"default\";r=50;t=30")], 50, 30, nil),
            ([("RateLimit", "\"a\";r=50;t=30, \"b\";r=3;t=5")], 3, 5, nil),
            ([("RateLimit", "\"a\";r=0;t=5,\"b\";r=0;t=50")], 0, 50, nil),
            ([("RateLimit", "limit=100, remaining=7, reset=40")], 7, 40, nil),
            ([("RateLimit-Policy", "\"burst\";q=100;w=10,\"day\";q=1000;w=86400")], nil, nil, 1000.0 / 86400),
            ([("RateLimit-Policy", "100;w=10")], nil, nil, 10),
            ([("RateLimit-Policy", "10;x=1")], nil, nil, nil),
            ([("RateLimit-Limit", "10"), ("RateLimit-Remaining", "4"), ("RateLimit-Reset", "9")], 4, 9, nil),
            ([("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "1700000060")], 0, 60, nil),
            ([("x-ratelimit-remaining", "1"), ("x-ratelimit-reset", "1700000060000")], 1, 60, nil),
            ([("X-Rate-Limit-Remaining", "2"), ("X-Rate-Limit-Reset", "30")], 2, 30, nil),
            ([("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "1600000000")], 0, nil, nil),
            ([("X-RateLimit-Reset", "30")], nil, nil, nil),
            ([("RateLimit-Remaining", "many")], nil, nil, nil),
            ([("RateLimit-Remaining", "-1"), ("RateLimit-Reset", "5")], nil, nil, nil),
            ([("RateLimit", "\"a;r=1;t=2")], nil, nil, nil), ([("RateLimit", ";;;,,,==")], nil, nil, nil),
            ([("RateLimit", "\"a, b\";r=1;t=2")], 1, 2, nil),
            ([("RateLimit-Policy", "\"a\";q=0;w=0")], nil, nil, nil),
            ([("RateLimit-Remaining", "1"), ("RateLimit-Reset", "99999999")], 1, 86_400, nil),
            ([("RateLimit", String(repeating: "a", count: 3000) + ";r=1;t=1")], nil, nil, nil),
        ] as [([(String, String)], Double?, Double?, Double?)])
    func forms(fields: [(String, String)], left: Double?, reset: Double?, rate: Double?) {
        let read = RateLimitFields(Headers(fields), now: Self.now)
        #expect(read.left == left && read.reset == reset && read.rate == rate, "\(read)")
    }
}
