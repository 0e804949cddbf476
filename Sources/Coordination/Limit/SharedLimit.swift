/// The numbers of a limit that hosts share.
package struct SharedLimit: Sendable, Equatable {
    /// Requests in flight at once, of all hosts; nil for any number.
    package var inFlight: Int?
    /// Tokens in a second, of all hosts; nil for any number. Each request takes one.
    package var rate: Double?
    /// The most tokens that the server keeps; it begins with them.
    package var burst: Double

    package init(inFlight: Int?, rate: Double?, burst: Double) {
        (self.inFlight, self.rate, self.burst) = (inFlight, rate, burst)
    }
}

/// A host's use of a limit, as it is now.
package struct LimitUse: Sendable, Equatable {
    package var inFlight: Int
    package var waiting: Int
    /// Tokens that it may spend. Below 0 after a message that must not wait.
    package var tokens: Double
    /// Requests that have gone out since the start of the host.
    package var started: Int

    package init(inFlight: Int = 0, waiting: Int = 0, tokens: Double = 0, started: Int = 0) {
        (self.inFlight, self.waiting) = (inFlight, waiting)
        (self.tokens, self.started) = (tokens, started)
    }
}

/// A host's message about its use of a limit.
package struct LimitQuestion: Sendable, Equatable {
    /// Grows with each message of a host. The server ignores one that another has overtaken.
    package var number: Int64
    /// The requests that it may have in flight until it gets the answer. The server counts them in any case.
    package var holds: Int
    /// The permits that it would like, those for requests in flight included; 0 with nothing to do.
    package var permits: Int
    /// The tokens that it would like.
    package var tokens: Int
    /// Tokens that it got and doesn't need. The host has them no more.
    package var returned: Double
    /// How long the server counts its permits without another message.
    package var seconds: Double

    package init(
        number: Int64, holds: Int, permits: Int = 0, tokens: Int = 0, returned: Double = 0,
        seconds: Double = LimitShare.leaseSeconds
    ) {
        self.number = number
        (self.holds, self.permits, self.tokens) = (holds, permits, tokens)
        (self.returned, self.seconds) = (returned, seconds)
    }
}

/// The server's answer.
package struct LimitAnswer: Sendable, Equatable {
    /// The requests that the host may have in flight. They may be fewer than it has.
    package var permits: Int
    package var tokens: Int
    /// Seconds until the server has another token.
    package var nextToken: Double
    /// The hosts that use the limit, this one included.
    package var hosts: Int
    /// All hosts together want more permits than there are, so none should have one that it doesn't use.
    package var isScarce: Bool

    package init(permits: Int = 0, tokens: Int = 0, nextToken: Double = 0, hosts: Int, isScarce: Bool = false)
    {
        (self.permits, self.tokens) = (permits, tokens)
        (self.nextToken, self.hosts, self.isScarce) = (nextToken, hosts, isScarce)
    }
}
