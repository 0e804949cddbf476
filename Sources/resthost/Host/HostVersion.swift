import RestScript

/// What `--version` prints.
enum HostVersion {
    static var text: String { "resthost \(Version.text)" }
}
