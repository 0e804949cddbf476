import ArgumentParser
import Platform
import RestEngine

struct HashCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hash",
        abstract: "Hash a password for a user of auth.basic.",
        discussion: """
            Asks for the password twice on a terminal and shows none of it; otherwise it is the first line of standard \
            input. Prints a hash with scrypt, for the option 'hash' of a user.

            Examples:
              resthost hash
              resthost hash < password.txt
            """)

    func run() throws {
        do throws(PasswordPrompt.Fault) {
            let password = try PasswordPrompt.read()
            guard let hash = PasswordHash.make(password) else {
                throw PasswordPrompt.Fault(
                    message: "a password has 1 to \(PasswordHash.mostPasswordBytes) bytes and no NUL")
            }
            Streams.output(raw: Array((hash + "\n").utf8))
        } catch {
            Streams.error(Complaint.text(error.message))
            throw ExitCode(2)
        }
    }
}

/// Reads a password from the terminal, which doesn't show it, or from a pipe or a file.
enum PasswordPrompt {
    struct Fault: Error {
        let message: String
    }

    private static let mostInputBytes = 64 << 10

    static func read() throws(Fault) -> [UInt8] {
        guard isatty(STDIN_FILENO) == 1 else {
            do throws(FileError) {
                return firstLine(try WholeFile.readStandardInput(limit: mostInputBytes))
            } catch { throw Fault(message: "the password can't be read: \(error.reason)") }
        }
        let password = try ask("Password: ")
        guard try ask("Again: ") == password else { throw Fault(message: "the passwords differ") }
        return password
    }

    /// Without the end of the line.
    static func firstLine(_ bytes: [UInt8]) -> [UInt8] {
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
        return Array(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
    }

    private static func ask(_ prompt: String) throws(Fault) -> [UInt8] {
        var mode = termios()
        guard tcgetattr(STDIN_FILENO, &mode) == 0 else { throw Fault(message: "the terminal can't be read") }
        var silent = mode
        // Without signals, because one would end the program and leave the terminal silent.
        silent.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &mode)
            Streams.error("\n")
        }
        Streams.error(prompt)
        var typed: [UInt8] = []
        while true {
            var byte: UInt8 = 0
            let count = Platform.read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { throw Fault(message: "the input ended before the password") }
            switch byte {
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"): return typed
            // Ctrl-C and Ctrl-D.
            case 3, 4: throw Fault(message: "interrupted")
            // Backspace, in both forms.
            case 8, 127: typed = Array(typed.dropLast())
            // Ctrl-U.
            case 21: typed = []
            default: typed.append(byte)
            }
        }
    }
}
