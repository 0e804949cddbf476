import Testing

@testable import RestEngine

struct RequestStateMachineTests {
    enum Step: Sendable { case start, complete, cancel }

    /// The result of each step: start and cancel return whether they had an effect, complete returns its
    /// decision.
    @Test(
        arguments: [
            ("7.1 start, then complete", [.start, .complete], ["starts", "accept"], .completed),
            ("7.2 start is idempotent", [.start, .start], ["starts", "-"], .inProgress),
            (
                "7.12 the second outcome is ignored", [.start, .complete, .complete],
                ["starts", "accept", "ignoreDuplicate"], .completed
            ),
            (
                "7.1 no start after the end", [.start, .complete, .start], ["starts", "accept", "-"],
                .completed
            ),
            (
                "8.1 cancel in flight stops the work", [.start, .cancel], ["starts", "cancels and stops"],
                .completed
            ),
            (
                "8.2 cancel after the end", [.start, .complete, .cancel], ["starts", "accept", "-"],
                .completed
            ),
            (
                "8.2 cancel twice", [.start, .cancel, .cancel], ["starts", "cancels and stops", "-"],
                .completed
            ),
            ("8.3 cancel before start", [.cancel, .start], ["cancels", "-"], .completed),
            (
                "8.5 a late answer", [.start, .cancel, .complete, .complete],
                ["starts", "cancels and stops", "ignoreAfterCancel", "ignoreAfterCancel"], .completed
            ),
            ("11.5 complete without start", [.complete, .cancel], ["accept", "-"], .completed),
        ] as [(String, [Step], [String], RequestStateMachine.State)])
    func `7 8 a request starts once and ends once`(
        name: String, steps: [Step], effects: [String], state: RequestStateMachine.State
    ) {
        var machine = RequestStateMachine()
        let seen = steps.map { step in
            switch step {
            case .start: return machine.start() ? "starts" : "-"
            case .complete: return "\(machine.complete())"
            case .cancel:
                let effect = machine.cancel()
                guard effect.cancelled else { return "-" }
                return effect.stopWork ? "cancels and stops" : "cancels"
            }
        }
        #expect(seen == effects)
        #expect(machine.state == state)
    }
}
