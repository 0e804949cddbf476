import Platform

/// A kind of project that `resthost init` begins.
struct StarterTemplate: Sendable {
    let name: String
    /// The description of the script, in the list of new files.
    let purpose: String
    let script: String
    let test: String
    let readme: String
    /// The content of `resthost.toml`, for a script that needs grants.
    var settings: String?

    static let all: [StarterTemplate] = [api, gateway, jobs, aggregation]

    static func named(_ name: String) -> StarterTemplate? { all.first { $0.name == name } }

    /// The complaint about a name that no template has.
    static func unknown(_ name: String) -> String {
        let names = all.map(\.name)
        return
            "there is no template '\(name)'\(NearestName.advice(name, among: names))\n  the templates are: "
            + names.joined(separator: ", ")
    }
}
