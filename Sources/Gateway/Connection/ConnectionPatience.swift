extension ConnectionStateMachine {
    /// What has to be done because time has passed.
    enum Due: Equatable {
        case nothing
        /// The request of this number is answered without the engine.
        case overdue(Int)
        case slowHead
        case slowBody
        case silentGuest
        /// Its client is told to open no more streams.
        case goAway
        case close
    }

    /// The limits of time, in sweeps.
    struct Patience {
        let sweepSeconds: Double
        let head: Int
        let idle: Int
        /// Behind the last answer.
        let lingering: Int
        let guest: Int
        /// Of a stream on which nothing was sent.
        let heartbeat: Int
        /// Of its answer a client takes as much in each sweep, on average.
        let bytesPerSweep: Double
        /// Of its request's body a client sends as much, on average.
        let bodyBytesPerSweep: Double

        init(_ limits: GatewayLimits, sweepSeconds: Double) {
            self.sweepSeconds = sweepSeconds
            head = Self.sweeps(limits.headerTimeout, of: sweepSeconds)
            idle = Self.sweeps(limits.idleTimeout, of: sweepSeconds)
            lingering = Self.sweeps(2, of: sweepSeconds)
            guest = Self.sweeps(2, of: sweepSeconds)
            heartbeat = Self.sweeps(15, of: sweepSeconds)
            bytesPerSweep = Double(limits.minAnswerRate) * sweepSeconds
            bodyBytesPerSweep = Double(limits.minBodyRate) * sweepSeconds
        }

        func sweeps(_ seconds: Double) -> Int { Self.sweeps(seconds, of: sweepSeconds) }

        /// Rounded up, and one more because the next sweep may be about to come.
        private static func sweeps(_ seconds: Double, of sweepSeconds: Double) -> Int {
            Int((min(seconds, 1e9) / sweepSeconds).rounded(.up)) + 1
        }
    }
}
