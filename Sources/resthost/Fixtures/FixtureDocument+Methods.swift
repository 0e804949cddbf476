extension FixtureDocument {
    func methods(at path: FixturePath) -> [String] {
        var methods = ["GET", "HEAD", "OPTIONS"]
        let isList = source == .collection || (source == .document && (try? value(at: path))?.list != nil)
        if isList { methods.append("POST") }
        guard !path.isRoot else { return methods }
        if source != .file { methods.append("PUT") }
        if source == .document || source == .element { methods.append("PATCH") }
        return methods + ["DELETE"]
    }

    func allows(_ method: String, at path: FixturePath) -> Bool { methods(at: path).contains(method) }
}
