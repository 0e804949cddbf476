import RestEngine
import Testing

/// Files of the repository, or at an absolute path.
enum TextFile {
    static func read(_ path: String) throws -> String {
        let place = path.hasPrefix("/") ? path : "\(BuiltProgram.repository)/\(path)"
        return String(decoding: try WholeFile.read(place, limit: 1 << 20), as: UTF8.self)
    }
}
