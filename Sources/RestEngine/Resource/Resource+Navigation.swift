extension Resource {
    /// The resource one path segment, or more, below (rule 3.4). No block runs while navigating (3.13).
    /// Text that would lead out of this resource, such as `..`, gives an invalid one (D31).
    public func child(_ text: String) -> Resource {
        guard let url, url.child(text) == nil else { return service.resource(at: url?.child(text)) }
        return service.invalid(url.string + "/" + text)
    }

    /// The resource that a link on this one would lead to (3.5).
    public func relative(_ href: String) -> Resource {
        service.resource(at: url?.relative(href))
    }

    /// Nil for nil, else as ``relative(_:)`` (3.6).
    public func optionalRelative(_ href: String?) -> Resource? {
        href.map(relative)
    }

    /// Replaces a parameter of the query; several values repeat it, nil removes it (3.7–3.12, D19).
    public func withParam(_ name: String, _ values: [String]?) -> Resource {
        service.resource(at: url?.withParam(name, values ?? []))
    }

    /// The same for several parameters in one step (3.10).
    public func withParams(_ params: [(name: String, values: [String]?)]) -> Resource {
        service.resource(at: url?.withParams(params.map { ($0.name, $0.values ?? []) }))
    }
}
