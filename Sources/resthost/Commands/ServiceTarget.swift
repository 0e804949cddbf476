import RestEngine
import RestScript

/// `[SERVICE] PATH` of a command line, found in a script.
@EngineActor
struct ServiceTarget {
    let service: Service
    let path: String

    /// - Parameter words: One or two. What doesn't fit the script is reported, and gives nil.
    init?(_ words: [String], of host: ScriptHost) {
        let name = words.count == 2 ? words[0] : nil
        guard let path = words.last, let service = Self.service(named: name, of: host) else { return nil }
        self.service = service
        self.path = path
    }

    var resource: Resource {
        // What is no URL gives a resource whose requests fail, and say why.
        service.resource(absoluteURL: service.url(typed: path)?.string ?? path)
    }

    /// What is wrong with the number of words; nil for nothing.
    nonisolated static func fault(_ words: [String]) -> String? {
        words.count == 1 || words.count == 2
            ? nil : "Give a path, or a service and a path: got \(words.count) arguments"
    }

    private static func service(named name: String?, of host: ScriptHost) -> Service? {
        let names = host.services.map(\.name)
        if let name {
            if let service = host.service(named: name) { return service }
            complain(names, of: host, "has no service '\(name)'; it has: ")
            return nil
        }
        if host.services.count == 1 { return host.services[0] }
        complain(names, of: host, "has several services, say which: ")
        return nil
    }

    private static func complain(_ names: [String], of host: ScriptHost, _ message: String) {
        let text =
            names.isEmpty
            ? "declares no service: use rest.service{ name =, base_url = }"
            : message + names.joined(separator: ", ")
        Streams.error(Complaint.text("\(host.path) \(text)"))
    }
}
