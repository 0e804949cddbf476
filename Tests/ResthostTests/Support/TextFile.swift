import Testing

@testable import resthost

/// Files of the repository.
enum TextFile {
    static func read(_ path: String) throws -> String {
        String(
            decoding: try FileBytes.read("\(BuiltProgram.repository)/\(path)", limit: 1 << 20), as: UTF8.self)
    }
}
