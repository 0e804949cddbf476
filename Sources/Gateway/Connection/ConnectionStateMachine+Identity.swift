/// The wait for a check of credentials, before a request is taken.
extension ConnectionStateMachine {
    /// The client of the next request is being found out. The request stays the next one. Returns the number
    /// of the check.
    mutating func identify(until sweep: Int) -> Int {
        checkCount += 1
        if isReading { state = .identifying(checkCount, until: sweep) }
        return checkCount
    }

    /// False if this check is over: the client has left, or its time was up.
    mutating func endIdentifying(_ number: Int, sweep: Int) -> Bool {
        guard case .identifying(number, _) = state else { return false }
        state = .reading
        lastSweep = sweep
        return true
    }
}
