import Platform
import RestEngine
import RestScript

/// A file that `resthost init` puts into a new folder.
struct StarterFile: Sendable {
    let path: String
    let text: String
    /// The description in the list of new files.
    let purpose: String
}

@EngineActor
enum StarterFiles {
    /// The folder of the definitions for editors.
    static let types = ".resthost/types/"

    /// The files in the order of their list. The definitions for editors come last.
    static func all(of template: StarterTemplate) -> [StarterFile] {
        var files = [
            StarterFile(path: "main.lua", text: template.script, purpose: "the script: \(template.purpose)"),
            StarterFile(path: "main_test.lua", text: template.test, purpose: "tests of the script"),
        ]
        if let settings = template.settings {
            files.append(
                StarterFile(path: "resthost.toml", text: settings, purpose: "what the script may read"))
        }
        files += [
            StarterFile(path: "README.md", text: template.readme, purpose: "how to begin"),
            StarterFile(
                path: ".luarc.json", text: languageServer,
                purpose: "lets editors with LuaLS know what scripts see"),
            StarterFile(path: ".editorconfig", text: editor, purpose: "two spaces"),
            StarterFile(
                path: ".gitignore", text: ignored, purpose: "caches, secrets, and what can be made again"),
        ]
        return files
            + ScriptReference.types().map {
                StarterFile(
                    path: types + $0.path, text: $0.text,
                    purpose: "what scripts see; resthost types writes it again")
            }
    }

    private static let languageServer = """
        {
          "runtime.version": "Lua 5.4",
          "workspace.library": [".resthost/types"]
        }

        """

    private static let editor = """
        root = true

        [*]
        charset = utf-8
        end_of_line = lf
        insert_final_newline = true

        [*.lua]
        indent_style = space
        indent_size = 2

        """

    private static let ignored = """
        # Made again by: resthost types .resthost/types
        /.resthost/
        # Caches and secrets
        *.sqlite
        *.sqlite-*
        .env

        """
}

/// Writes files with the folders that they need.
enum NewFile {
    static func write(_ text: String, to path: String) throws(FileError) {
        try makeFolders(of: path)
        try WholeFile.replace(path, with: Array(text.utf8))
    }

    static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Makes the folders for a file.
    static func makeFolders(of path: String) throws(FileError) {
        var end = path.startIndex
        while let slash = path[end...].firstIndex(of: "/") {
            end = path.index(after: slash)
            let folder = String(path[..<slash])
            guard !folder.isEmpty, mkdir(folder, 0o777) != 0 else { continue }
            let reason = errno
            // A write into it will show whether it is a folder.
            guard reason == EEXIST || exists(folder) else {
                throw FileError(
                    path: folder, reason: String(cString: strerror(reason)), action: "make the folder")
            }
        }
    }
}
