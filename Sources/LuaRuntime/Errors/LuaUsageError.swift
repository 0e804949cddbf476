/// A script called something wrongly. It reaches the script as a plain string, "file:line: message".
public struct LuaUsageError: Error, CustomStringConvertible, Equatable {
    public let message: String

    public init(_ message: String) {
        self.message = message
    }

    public var description: String { message }
}
