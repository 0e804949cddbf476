import Coordination
import RestEngine
import TestSupport
import Testing

@testable import SharedMemory

/// The script of the server and ``LimitCount`` are two forms of the same rules.
@Suite(.withRedis) @EngineActor struct RedisLimitsTests {
    private struct Random: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 11 ^ state << 31
        }
    }

    private func ask(
        _ host: RedisLimits, _ question: LimitQuestion, _ limit: SharedLimit
    ) async -> LimitAnswer? {
        await waiting(for: "an answer") { done in
            Task { @EngineActor in host.count(question, of: "x", limit) { done($0) } }
        } ?? nil
    }

    @Test(arguments: 0..<6)
    func `The server answers as the model does`(seed: UInt64) async throws {
        let server = await RedisServer()
        let client = try RedisClient.patient(server.address)
        let keys = CoordinationKeys(keys: try #require(RedisKeys(prefix: "test")))
        let names = ["a", "b", "c", "d"]
        let hosts = names.map { RedisLimits(client: client, keys, host: $0) }
        var random = Random(state: seed + 1)
        var model = LimitCount()
        // Tokens don't come back by themselves, because the times of the two differ.
        let limit = SharedLimit(
            inFlight: seed == 5 ? nil : Int.random(in: 1...12, using: &random),
            rate: seed.isMultiple(of: 2) ? 1e-300 : nil, burst: 40)
        for number in 1...200 {
            let host = Int.random(in: 0..<names.count, using: &random)
            let held = model.hosts[names[host]]?.has ?? 0
            var question = LimitQuestion(
                number: Int64(number), holds: Int.random(in: 0...held, using: &random),
                permits: Int.random(in: 0...8, using: &random), seconds: 600)
            question.tokens = Int.random(in: 0...4, using: &random)
            question.returned = Double(Int.random(in: 0...2, using: &random)) / 2
            let expected = model.answer(question, from: names[host], limit, at: Double(number) / 1000)
            let answer = try #require(await ask(hosts[host], question, limit))
            #expect(answer.permits == expected.permits && answer.tokens == expected.tokens, "\(number)")
            #expect(answer.hosts == expected.hosts && answer.isScarce == expected.isScarce, "\(number)")
        }
    }

    @Test func `A host that has waited gets a message when another gives its permit back`() async throws {
        let server = await RedisServer()
        let client = try RedisClient.patient(server.address)
        let keys = CoordinationKeys(keys: try #require(RedisKeys(prefix: "test")))
        let hosts = ["a", "b"].map { RedisLimits(client: client, keys, host: $0) }
        let limit = SharedLimit(inFlight: 1, rate: nil, burst: 0)
        #expect(await ask(hosts[0], LimitQuestion(number: 1, holds: 0, permits: 1), limit)?.permits == 1)
        #expect(await ask(hosts[1], LimitQuestion(number: 1, holds: 0, permits: 1), limit)?.permits == 0)
        _ = await ask(hosts[0], LimitQuestion(number: 2, holds: 0), limit)
        guard case .success(let value) = await client.outcome(RedisCommand("XLEN", "test:messages:b")) else {
            return #expect(Bool(false), "there is no stream")
        }
        #expect(value.integer == 1)
    }
}
