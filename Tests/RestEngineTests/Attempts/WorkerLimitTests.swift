import Platform
import Testing

@testable import RestEngine

/// The limits of one of several workers.
struct WorkerLimitTests {
    private func parts(_ count: Int, _ limits: RequestLimits) -> [RequestLimits] {
        (1...count).map { limits.part(of: WorkerNumber(number: $0, count: count)) }
    }

    @Test func `the parts of a limit add up to it`() {
        for limit in 1...20 {
            for count in 1...7 {
                let parts = parts(count, RequestLimits(inFlight: limit)).compactMap(\.inFlight)
                #expect(parts.reduce(0, +) == limit && (parts.max() ?? 0) - (parts.min() ?? 0) <= 1)
            }
        }
    }

    @Test func `a worker without a part refuses at once`() {
        let parts = parts(3, RequestLimits(inFlight: 2))
        #expect(parts.map(\.inFlight) == [1, 1, 0])
        #expect(parts.map(\.queue) == [nil, nil, 0])
    }

    @Test func `a rate is divided, with its reserve`() {
        let limits = RequestLimits(rate: .init(requests: 10, per: .seconds(2), burst: 3))
        let parts = parts(4, limits).compactMap(\.rate)
        #expect(parts.map { Double($0.requests) / $0.perSeconds } == [1.25, 1.25, 1.25, 1.25])
        #expect(parts.map(\.burst) == [1, 1, 1, 1])
    }

    @Test func `a worker that is alone has everything`() {
        let limits = RequestLimits(inFlight: 5, rate: .init(requests: 10))
        #expect(limits.part(of: nil) == limits)
        #expect(limits.part(of: WorkerNumber(number: 1, count: 1)) == limits)
    }
}
