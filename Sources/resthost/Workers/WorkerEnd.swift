/// How the process of a worker ended.
enum WorkerEnd: Equatable, Sendable {
    case code(Int32)
    case signal(Int32)

    var exitCode: Int32 {
        switch self {
        case .code(let code): code
        case .signal(let number): 128 + number
        }
    }

    var text: String {
        switch self {
        case .code(let code): "ended with code \(code)"
        case .signal(let number): "was ended by signal \(number) (\(Self.name(number)))"
        }
    }

    private static func name(_ number: Int32) -> String {
        switch number {
        case 4: "SIGILL"
        case 5: "SIGTRAP"
        case 6: "SIGABRT"
        case 7: "SIGBUS"
        case 8: "SIGFPE"
        case 9: "SIGKILL"
        case 11: "SIGSEGV"
        case 15: "SIGTERM"
        default: "see signal(7)"
        }
    }
}
