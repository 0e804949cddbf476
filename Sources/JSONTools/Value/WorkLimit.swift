/// Bounds the work that one call may do, in small steps such as the visit of a value.
package struct WorkLimit {
    private var steps: Int
    private let most: Int
    /// Throws when the caller's time is over.
    let poll: () throws -> Void

    /// The steps between two polls.
    private static let stepsPerPoll = 1024

    /// - Parameter poll: Is called now and then, and ends the work by an error.
    package init(steps: Int, poll: @escaping () throws -> Void = {}) {
        (self.steps, most, self.poll) = (steps, steps, poll)
    }

    /// Throws if the steps are used up.
    mutating func spend(_ count: Int = 1) throws {
        let before = steps
        steps -= count
        guard steps >= 0 else { throw JSONToolsError("the work takes more than \(most) steps") }
        if before / Self.stepsPerPoll != steps / Self.stepsPerPoll { try poll() }
    }
}

/// A fault in what a caller gave: a pointer, a path, a patch or a schema.
package struct JSONToolsError: Error, Equatable, CustomStringConvertible {
    /// A sentence with the place of the fault.
    package let message: String

    package init(_ message: String) { self.message = message }

    package var description: String { message }
}
