extension ConnectionStateMachine {
    /// The action that is due because time has passed.
    enum Due: Equatable {
        case nothing
        /// The request of this number gets a 504 without the engine.
        case overdue(Int)
        /// The client of the next request was not found out in time, in the check of this number.
        case unidentified(Int)
        case slowHead
        case slowBody
        case silentSurplus
        /// The client gets a GOAWAY, so that it opens no more streams.
        case goAway
        case close
    }

    /// The timeouts, in sweeps.
    struct Timeouts {
        let sweepSeconds: Double
        let head: Int
        let idle: Int
        /// The time after the last answer.
        let lingering: Int
        let surplus: Int
        /// The time for the first request while the gateway stops.
        let leaving: Int
        /// The time after which a silent stream gets a heartbeat.
        let heartbeat: Int
        /// The bytes of its answer that a client must take in each sweep, on average.
        let bytesPerSweep: Double
        /// The bytes of its request's body that a client must send in each sweep, on average.
        let bodyBytesPerSweep: Double

        init(_ limits: GatewayLimits, sweepSeconds: Double) {
            self.sweepSeconds = sweepSeconds
            head = Self.sweeps(limits.headerTimeout, of: sweepSeconds)
            idle = Self.sweeps(limits.idleTimeout, of: sweepSeconds)
            lingering = Self.sweeps(2, of: sweepSeconds)
            surplus = Self.sweeps(2, of: sweepSeconds)
            leaving = Self.sweeps(1, of: sweepSeconds)
            heartbeat = Self.sweeps(15, of: sweepSeconds)
            bytesPerSweep = Double(limits.minAnswerRate) * sweepSeconds
            bodyBytesPerSweep = Double(limits.minBodyRate) * sweepSeconds
        }

        func sweeps(_ seconds: Double) -> Int { Self.sweeps(seconds, of: sweepSeconds) }

        /// Rounds up and adds one, because the next sweep may be about to come.
        private static func sweeps(_ seconds: Double, of sweepSeconds: Double) -> Int {
            Int((min(seconds, 1e9) / sweepSeconds).rounded(.up)) + 1
        }
    }

    // MARK: Time

    /// - Parameter unsentBytes: The bytes that were handed over and that the socket still holds.
    mutating func sweep(_ sweep: Int, unsentBytes: Int, timeout: Timeouts) -> Due {
        if case .carrying(let streams) = state { return sweepCarrying(streams, sweep, timeout) }
        noteTaking(sweep, unsentBytes: unsentBytes, timeout)
        let idle = sweep - lastSweep
        switch state {
        case .closed, .carrying: return .nothing
        case .waiting(let request, let until): return sweep >= until ? .overdue(request.number) : .nothing
        case .identifying(let number, let until): return sweep >= until ? .unidentified(number) : .nothing
        case .receiving(_, let arrival): return isSlow(arrival, sweep, timeout) ? .slowBody : .nothing
        case .proxying(let request, let proxied):
            return sweepProxying(request, proxied, sweep, unsentBytes: unsentBytes, timeout)
        case .streaming:
            return unsentBytes > 0 && sweep - takenSweep >= timeout.idle ? .close : .nothing
        case .lingering: return idle >= timeout.lingering ? .close : .nothing
        case .reading:
            if let leavingSweep, isQuiet, sweep - leavingSweep >= timeout.leaving {
                return .close
            }
            if let handshakeSweep {
                // A client can get no answer before its handshake is done.
                return sweep - handshakeSweep >= (isSurplus ? timeout.surplus : timeout.head)
                    ? .close : .nothing
            }
            if let headSweep, sweep - headSweep >= timeout.head { return .slowHead }
            if isSurplus, idle >= timeout.surplus { return .silentSurplus }
        case .finishing: break
        }
        return max(idle, sweep - takenSweep) >= timeout.idle ? .close : .nothing
    }

    /// A client that takes a long answer slowly is not idle, unless it is below the minimum rate.
    private mutating func noteTaking(_ sweep: Int, unsentBytes: Int, _ timeout: Timeouts) {
        let taken = writtenBytes - unsentBytes
        if unsentBytes == 0 {
            if taken != takenBytes { lastSweep = sweep }
        } else if Double(taken - takenBytes) >= Double(sweep - takenSweep) * timeout.bytesPerSweep {
            lastSweep = sweep
        } else {
            return
        }
        takenSweep = sweep
        takenBytes = taken
    }
}
