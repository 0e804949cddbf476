extension Resource {
    /// The configuration in use, for a script to look at: frozen (rule 14.4).
    public func configurationDraft(for method: String) -> ConfigurationDraft {
        let draft = ConfigurationDraft(method: method, url: url)
        draft.configuration = configuration(for: method)
        draft.isFrozen = true
        return draft
    }
}
