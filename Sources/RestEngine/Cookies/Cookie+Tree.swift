extension Cookie {
    /// The form that a file stores.
    package var tree: Tree {
        var pairs: [(String, Tree)] = [
            ("name", Tree(name)), ("value", Tree(value)), ("domain", Tree(domain)), ("path", Tree(path)),
            ("host_only", Tree(isHostOnly)), ("secure", Tree(isSecure)), ("http_only", Tree(isHTTPOnly)),
            ("created", Tree(created)),
        ]
        if let expiresAt { pairs.append(("expires_at", Tree(expiresAt))) }
        return Tree(pairs: pairs)
    }

    /// Nil for a tree that is not a cookie: the file may have been changed by any program.
    package init?(_ tree: Tree) {
        guard let name = tree["name"]?.string, let value = tree["value"]?.string,
            let domain = tree["domain"]?.string, let path = tree["path"]?.string, !name.isEmpty,
            Headers.problem(inValue: name + value) == nil, !(name + value).contains(";")
        else { return nil }
        self.init(
            name: name, value: value, domain: domain, isHostOnly: tree["host_only"]?.bool ?? true, path: path,
            isSecure: tree["secure"]?.bool ?? true, isHTTPOnly: tree["http_only"]?.bool ?? true,
            expiresAt: tree["expires_at"]?.double, created: tree["created"]?.double ?? 0)
    }
}
