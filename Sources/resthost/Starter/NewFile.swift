import Platform
import RestEngine

/// Files that a command makes, with the folders that they need.
enum NewFile {
    static func write(_ text: String, to path: String) throws(FileFailure) {
        try makeFolders(of: path)
        try WholeFile.replace(path, with: Array(text.utf8))
    }

    static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Makes the folders that a file is to lie in.
    static func makeFolders(of path: String) throws(FileFailure) {
        var end = path.startIndex
        while let slash = path[end...].firstIndex(of: "/") {
            end = path.index(after: slash)
            let folder = String(path[..<slash])
            guard !folder.isEmpty, mkdir(folder, 0o777) != 0 else { continue }
            let reason = errno
            // Whether it is one will show when something is written into it.
            guard reason == EEXIST || exists(folder) else {
                throw FileFailure(
                    path: folder, reason: String(cString: strerror(reason)), action: "make the folder")
            }
        }
    }
}
