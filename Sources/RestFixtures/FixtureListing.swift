/// The paths of a server, as a table for people.
struct FixtureListing {
    static let maximumRows = 40

    let store: FixtureStore
    let access: FixtureGuard

    var text: String {
        let paths = store.paths()
        var rows = paths.prefix(Self.maximumRows).map { ("GET", $0.encoded, note($0)) }
        if paths.count > Self.maximumRows {
            rows.append(("", "… \(paths.count - Self.maximumRows) more", ""))
        }
        rows += [
            ("POST", "/-/login", "{\"user\", \"password\"}: a token"),
            ("any", "/-/echo", "the request as JSON"),
            ("GET", "/-/counts", "requests by path"),
            ("POST", "/-/reset", "clears the counts; with ?all also changes and tokens"),
        ]
        let width = rows.map(\.1.count).max() ?? 0
        return rows.map { method, path, note in
            let cells = [method.padded(to: 4), note.isEmpty ? path : path.padded(to: width), note]
            return "  " + cells.filter { !$0.isEmpty }.joined(separator: "  ")
        }.joined(separator: "\n")
    }

    private func note(_ path: FixturePath) -> String {
        let note: String
        do {
            let document = try store.document(at: path)
            let elements = try document.flatMap { (found) throws(FixtureRefusal) in
                found.source == .file ? nil : try found.value(at: path).list
            }
            switch document?.source {
            case .collection: note = "the folder's items: \(elements?.count ?? 0)"
            case .file: note = document?.contentType ?? ""
            default: note = elements.map { "a list of \($0.count)" } ?? ""
            }
        } catch { note = "no JSON" }
        let needs = access.covers(path) ? "needs a token" : ""
        return [note, needs].filter { !$0.isEmpty }.joined(separator: ", ")
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
