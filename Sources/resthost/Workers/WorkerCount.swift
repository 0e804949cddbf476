import ArgumentParser
import RestEngine

/// The value of `--workers`.
enum WorkerCount: ExpressibleByArgument, Equatable, Sendable {
    case count(Int)
    /// One for each processor that the process may use.
    case auto

    /// See docs/reference/limits.md, L480.
    static let most = 256
    static let range = "a number from 1 to \(most), or \"auto\""

    init?(argument: String) {
        if argument == "auto" {
            self = .auto
        } else if let count = Int(argument), 1...Self.most ~= count {
            self = .count(count)
        } else {
            return nil
        }
    }

    var number: Int {
        switch self {
        case .count(let count): count
        case .auto: min(Self.most, max(1, MachineProcessors.current.count))
        }
    }
}
