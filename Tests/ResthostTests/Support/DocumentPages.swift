import RestEngine

/// Pages of the documents, as they are found: a new one needs no list.
enum DocumentPages {
    /// Paths of the Markdown files below these folders of the repository, those of subfolders too.
    static func below(_ folders: String...) -> [String] { folders.flatMap(pages) }

    private static func pages(_ folder: String) -> [String] {
        let names = FolderNames.list("\(BuiltProgram.repository)/\(folder)") ?? []
        return names.flatMap { name in
            name.hasSuffix(".md") ? ["\(folder)/\(name)"] : pages("\(folder)/\(name)")
        }
    }
}
