@testable import Gateway

/// Bodies that are forwarded (rules 69).
extension ConnectionStateMachineTests {
    static let proxiedBodies = [
        Row(
            name: "69.1 a body goes through as it is wanted, and the connection goes on behind it",
            steps: [
                (.receive(post + "a"), "look"), (.next, "POST /c"), (.take, "1 POST /c close"),
                (.pass(timeout: 9), ""), (.next, "none"), (.mayRead, "false"), (.releaseBody(2), "nil"),
                (.releaseBody(1), "POST /c"), (.release, "true"), (.next, "through a"), (.hold, ""),
                (.receive("bc" + get), "-"), (.next, "none"), (.mayRead, "false"), (.release, "false"),
                (.releaseBody(1), "POST /c"), (.next, "through bc"), (.next, "through"), (.next, "none"),
                (.resume(1), "POST /c"), (.next, "GET /a"),
            ]),
        Row(
            name: "69.6 a client is slow while it may send, and not while it may not",
            steps: [
                (.receive(post + "a"), "look"), (.next, "POST /c"), (.take, "1 POST /c close"),
                (.pass(timeout: 100), ""), (.at(20), ""), (.sweep(unsent: 0), "nothing"),
                (.releaseBody(1), "POST /c"), (.next, "through a"), (.at(25), ""),
                (.sweep(unsent: 0), "nothing"), (.at(26), ""), (.sweep(unsent: 0), "slowBody"),
            ]),
        Row(
            name: "69.6 nobody wants the body, or answers",
            steps: [
                (.receive(post + "abc"), "look"), (.next, "POST /c"), (.take, "1 POST /c close"),
                (.pass(timeout: 9), ""), (.at(8), ""), (.sweep(unsent: 0), "nothing"), (.at(9), ""),
                (.sweep(unsent: 0), "overdue(1)"), (.releaseBody(1), "POST /c"),
                (.sweep(unsent: 0), "nothing"), (.next, "through abc"), (.next, "through"), (.at(17), ""),
                (.sweep(unsent: 0), "nothing"), (.at(18), ""), (.sweep(unsent: 0), "overdue(1)"),
            ]),
        Row(
            name: "69.5 an answer before the end of the body is the last",
            steps: [
                (.receive(post + "a"), "look"), (.next, "POST /c"), (.take, "1 POST /c close"),
                (.pass(timeout: 9), ""), (.resume(1), "POST /c"), (.mayRead, "true"),
                (.answer(10, closes: true), "last"), (.receive("bc"), "-"), (.out, "closeOutput"),
            ]),
        Row(
            name: "69.2 both bodies at once, and the first to end is the client's",
            steps: [
                (.receive(post + "a"), "look"), (.next, "POST /c"), (.take, "1 POST /c close"),
                (.pass(timeout: 9), ""), (.releaseBody(1), "POST /c"), (.beginAnswer(1), "POST /c"),
                (.beginAnswer(1), "nil"), (.resume(1), "nil"), (.next, "through a"),
                (.receive("bc" + get), "look"), (.next, "through bc"), (.next, "through"), (.next, "none"),
                (.at(99), ""), (.sweep(unsent: 0), "nothing"), (.endAnswer(closes: false), "goes on"),
                (.next, "GET /a"),
            ]),
        Row(
            name: "69.2 or the API's",
            steps: [
                (.receive(post + "a"), "look"), (.next, "POST /c"), (.take, "1 POST /c close"),
                (.pass(timeout: 9), ""), (.releaseBody(1), "POST /c"), (.beginAnswer(1), "POST /c"),
                (.endAnswer(closes: false), "last"), (.receive("bc"), "-"), (.out, "closeOutput"),
            ]),
        Row(
            name: "69.7 a client that takes nothing of an answer",
            steps: [
                (.receive(get), "look"), (.next, "GET /a"), (.take, "1 GET /a"), (.wait(until: 3), ""),
                (.beginAnswer(1), "GET /a"), (.receive(get), "-"), (.next, "none"), (.at(5), ""),
                (.sweep(unsent: 100), "nothing"), (.at(6), ""), (.sweep(unsent: 100), "close"),
            ]),
    ]
}
