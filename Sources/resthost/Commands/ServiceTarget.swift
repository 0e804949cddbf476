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
            Streams.error(
                names.isEmpty
                    ? "resthost: \(host.path) declares no service: use rest.service{ name =, base_url = }\n"
                    : "resthost: \(host.path) has no service '\(name)'; it has: \(names.joined(separator: ", "))\n"
            )
            return nil
        }
        if host.services.count == 1 { return host.services[0] }
        Streams.error(
            names.isEmpty
                ? "resthost: \(host.path) declares no service: use rest.service{ name =, base_url = }\n"
                : "resthost: \(host.path) has several services, say which: \(names.joined(separator: ", "))\n"
        )
        return nil
    }
}
