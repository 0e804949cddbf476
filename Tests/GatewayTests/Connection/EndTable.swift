/// The end of a gateway for its connections.
extension ConnectionStateMachineTests {
    /// The first request may take 2 sweeps.
    static let ends = [
        Row(
            name: "67.3 who has asked for nothing yet has a moment when the gateway stops",
            steps: [
                (.at(4), ""), (.leave, "stays"), (.at(5), ""), (.sweep(unsent: 0), "nothing"), (.at(6), ""),
                (.sweep(unsent: 0), "close"),
            ]),
        Row(
            name: "67.3 the first request is the last",
            steps: [
                (.leave, "stays"), (.at(1), ""), (.receive(get + get), "look"), (.next, "GET /a"),
                (.takeLeaving, "1 GET /a close"), (.at(2), ""), (.sweep(unsent: 0), "nothing"),
                (.answer(10, closes: true), "last"), (.next, "none"), (.out, "closeOutput"),
            ]),
        Row(
            name: "67.3 a head that has begun has its usual time",
            steps: [
                (.leave, "stays"), (.at(1), ""), (.receive("GET"), "look"), (.next, "none"), (.at(3), ""),
                (.sweep(unsent: 0), "nothing"), (.at(4), ""), (.sweep(unsent: 0), "slowHead"),
            ]),
        Row(
            name: "67.3 who was answered and asks for nothing closes at once",
            steps: [(.receive(get), "look"), (.next, "GET /a"), (.skip, ""), (.leave, "close")]),
        Row(
            name: "67.3 what is under way is finished",
            steps: [
                (.receive(get), "look"), (.next, "GET /a"), (.take, "1 GET /a"), (.wait(until: 9), ""),
                (.leave, "stays"), (.at(5), ""), (.sweep(unsent: 0), "nothing"), (.resume(1), "GET /a"),
            ]),
        Row(
            name: "67.3 one too many has the moment as well",
            steps: [(.surplus, ""), (.leave, "stays"), (.at(2), ""), (.sweep(unsent: 0), "close")]),
    ]
}
