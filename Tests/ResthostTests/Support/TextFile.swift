import RestEngine
import Testing

/// Files of the repository.
enum TextFile {
    static func read(_ path: String) throws -> String {
        String(
            decoding: try WholeFile.read("\(BuiltProgram.repository)/\(path)", limit: 1 << 20), as: UTF8.self)
    }
}
