import TestSupport
import Testing

@testable import RestEngine

struct RetryPolicyTests {
    private let policy = RetryPolicy()

    private func decide(
        _ question: RetryQuestion, random: Double = 1, pays: Bool = true
    ) -> RetryDecision {
        policy.decide(question, random: { random }, pays: { pays })
    }

    @Test func `41.3: waits double up to the cap, and a random part of them is taken`() {
        #expect((1...8).map(policy.ceiling) == [0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10, 10])
        #expect(policy.ceiling(after: 1000) == 10)
        var policy = policy
        policy.attempts = 9
        let question = RetryQuestion(number: 3, status: 503)
        #expect(policy.decide(question, random: { 0 }, pays: { true }) == .retry(after: 0))
        #expect(policy.decide(question, random: { 0.5 }, pays: { true }) == .retry(after: 0.4))
        #expect(policy.decide(question, random: { 7 }, pays: { true }) == .retry(after: 0.8))
    }

    @Test(
        "41.2: these statuses may be better another time, others not",
        arguments: [408, 425, 429, 500, 502, 503, 504], [400, 401, 403, 404, 409, 410, 422, 501, 505])
    func statuses(transient: Int, final: Int) {
        #expect(decide(RetryQuestion(number: 1, status: transient)) == .retry(after: 0.2))
        #expect(decide(RetryQuestion(number: 1, status: final)) == .stop(nil))
    }

    @Test(
        "41.2: errors of the transport by phase",
        arguments: [
            (.dnsFailed, .dns, true), (.connectionFailed, .connect, true), (.connectionFailed, .send, true),
            (.connectionFailed, .firstByte, true), (.connectionFailed, .receive, true),
            (.timeout, .connect, true), (.timeout, .firstByte, true), (.timeout, .idle, true),
            (.timeout, .total, false), (.timeout, .queue, false), (.tlsFailed, .tls, false),
            (.tooLarge, .receive, false), (.decodingFailed, .receive, false), (.invalidURL, nil, false),
            (.internal, nil, false), (.queueFull, .queue, false), (.circuitOpen, nil, false),
            (.rateLimited, nil, false), (.offline, nil, false), (.tooManyRedirects, nil, false),
        ] as [(TransportError.Code, TransportError.Phase?, Bool)])
    func errors(code: TransportError.Code, phase: TransportError.Phase?, mayPass: Bool) {
        let error = TransportError(code, phase: phase, message: "")
        #expect(error.mayPass == mayPass)
        var question = RetryQuestion(number: 1, error: error)
        #expect(decide(question) == (mayPass ? .retry(after: 0.2) : .stop(nil)))
        // No function of a script can make a bad certificate valid.
        question.answer = .retry
        #expect(decide(question) == (mayPass ? .retry(after: 0.2) : .stop(nil)))
    }

    @Test func `a shortage of this process may pass`() {
        #expect(TransportError(.internal, message: "", isShortage: true).mayPass)
    }

    @Test func `41.3: Retry-After takes the place of the wait, and is clamped`() {
        var question = RetryQuestion(number: 1, status: 503, retryAfter: .seconds(3))
        #expect(decide(question) == .retry(after: 3))
        question.retryAfter = .seconds(1e9)
        #expect(decide(question) == .retry(after: 10))
        question.retryAfter = .seconds(0)
        #expect(decide(question) == .retry(after: 0))
        question.retryAfter = .past
        #expect(decide(question) == .retry(after: 0.2))
        question.retryAfter = .malformed
        #expect(decide(question) == .retry(after: 0.2))
    }

    @Test func `the last attempt, an obstacle, no time and no budget end it`() {
        var question = RetryQuestion(number: 3, status: 503)
        #expect(decide(question) == .stop("it was the last of 3 attempts"))
        question = RetryQuestion(number: 1, status: 503, obstacle: "the body has gone")
        #expect(decide(question) == .stop("the body has gone"))
        question = RetryQuestion(number: 1, status: 503, timeLeft: 0.2)
        #expect(decide(question) == .stop("no time is left for another attempt"))
        question.timeLeft = 0.21
        #expect(decide(question) == .retry(after: 0.2))
        #expect(decide(question, pays: false) == .stop("the retries of the host are used up"))
    }

    @Test func `41.7: the function's word counts, but not against attempts, method and body`() {
        var question = RetryQuestion(number: 1, status: 404, answer: .retry)
        #expect(decide(question) == .retry(after: 0.2))
        question.answer = .after(.seconds(60))
        #expect(decide(question) == .retry(after: 60))
        question = RetryQuestion(number: 1, status: 503, answer: .fail)
        #expect(decide(question) == .stop("'when' says so"))
        question = RetryQuestion(number: 3, status: 503, answer: .retry)
        #expect(decide(question) == .stop("it was the last of 3 attempts"))
        question = RetryQuestion(number: 1, status: 503, obstacle: "no", answer: .retry)
        #expect(decide(question) == .stop("no"))
    }
}

struct RetryBudgetTests {
    @Test func `41.6: a share of the requests, and three a second`() {
        var budget = RetryBudget()
        for _ in 0..<100 { budget.noteRequest(at: 5) }
        let taken = (0..<100).filter { _ in budget.takeRetry(share: 0.2, at: 5) }.count
        #expect(taken == 23)
        #expect((0..<10).filter { _ in budget.takeRetry(share: 0.2, at: 6) }.count == 3)
        #expect((0..<10).filter { _ in budget.takeRetry(share: 0.2, at: 6.5) }.count == 1, "half a second")
    }

    @Test func `requests count for ten seconds`() {
        var budget = RetryBudget()
        for _ in 0..<100 { budget.noteRequest(at: 0.5) }
        #expect((0..<30).filter { _ in budget.takeRetry(share: 0.2, at: 9.9) }.count == 23)
        #expect((0..<30).filter { _ in budget.takeRetry(share: 0.2, at: 10) }.count == 0, "all is used up")
        var other = RetryBudget()
        for _ in 0..<100 { other.noteRequest(at: 0.5) }
        #expect((0..<30).filter { _ in other.takeRetry(share: 0.2, at: 10.1) }.count == 3)
        #expect(other.isIdle(at: 30) == true)
    }

    @Test func `41.6: 10,000 requests of which 30 in a hundred fail get their share and no more`() {
        var random = SeededRandom(seed: 14)
        var budget = RetryBudget()
        var retries = 0
        var requests = 0
        // 100 requests a second, with three attempts each.
        for number in 0..<10_000 {
            let now = Double(number) / 100
            budget.noteRequest(at: now)
            requests += 1
            for _ in 0..<2 where random.int(below: 10) < 3 {
                guard budget.takeRetry(share: 0.2, at: now) else { break }
                retries += 1
            }
        }
        let share = Double(requests) * 0.2
        #expect(Double(retries) > share && Double(retries) <= share + 3 * 100 + 3, "\(retries)")
    }

    @Test func `41.6: a dead host sees its requests and the budget`() {
        var budget = RetryBudget()
        var seen = 0
        for number in 0..<1000 {
            let now = Double(number) / 1000
            budget.noteRequest(at: now)
            seen += 1
            for _ in 0..<2 where budget.takeRetry(share: 0.2, at: now) { seen += 1 }
        }
        #expect(seen <= 1000 + 200 + 3 + 3 && seen >= 1200, "\(seen)")
    }
}
