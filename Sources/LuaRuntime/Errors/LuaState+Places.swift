extension LuaState {
    /// "@path" as the path; other names as Lua shows them.
    func path(ofChunk name: String) -> String {
        name.hasPrefix("@") || name.hasPrefix("=") ? String(name.dropFirst()) : name
    }

    /// Takes "file:line: " off a message when the file is one of ours: a message may well begin with
    /// "host:80: ".
    func split(_ text: String, file: String?, line: Int) -> Place {
        let fallback = Place(file: file, line: line > 0 ? line : nil, message: text)
        var search = text.startIndex
        while let colon = text[search...].firstIndex(of: ":") {
            let afterColon = text.index(after: colon)
            search = afterColon
            let digits = text[afterColon...].prefix { $0.isASCII && $0.isNumber }
            guard let number = Int(digits), text[digits.endIndex...].hasPrefix(": ") else { continue }
            let name = String(text[..<colon])
            let isChunk = name.hasPrefix("[string \"") || name == file
            guard let path = chunkPaths[name] ?? (isChunk ? name : nil) else { continue }
            let rest = text.index(digits.endIndex, offsetBy: 2)
            return Place(file: path, line: number, message: String(text[rest...]))
        }
        return fallback
    }

    /// Drops the heading and the C frames below the script's outermost function.
    func tidy(_ traceback: String) -> String {
        var lines = traceback.split(separator: "\n", omittingEmptySubsequences: true)
        if lines.first == "stack traceback:" { lines.removeFirst() }
        while lines.last?.hasPrefix("\t[C]: in ?") == true { lines.removeLast() }
        return lines.map { $0.drop { $0 == "\t" } }.joined(separator: "\n")
    }
}
