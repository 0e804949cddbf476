import Testing

@testable import Gateway

@Suite struct AnswerPartTests {
    @Test func `Times that have no number of seconds are written all the same`() {
        #expect(AnswerWriter.wholeSeconds(.nan) == 0)
        #expect(AnswerWriter.wholeSeconds(-.infinity) == 0)
        #expect(AnswerWriter.wholeSeconds(1.9) == 1)
        #expect(AnswerWriter.wholeSeconds(.infinity) > 1_000_000)
    }
}
