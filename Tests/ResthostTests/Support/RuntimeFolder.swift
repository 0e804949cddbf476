import Platform
import TestSupport

/// A folder for admin sockets that is a test's own, to be given as `XDG_RUNTIME_DIR`.
final class RuntimeFolder {
    private let folder = TemporaryFolder()

    var path: String { folder.path }

    /// The names of the sockets in it.
    var sockets: [String] { folder.names(in: "resthost") }

    deinit {
        for name in sockets { unlink("\(path)/resthost/\(name)") }
        rmdir(path + "/resthost")
    }
}
