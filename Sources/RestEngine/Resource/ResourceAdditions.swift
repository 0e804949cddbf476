/// The headers and functions that a call of a program adds to all requests of its resource, behind those of
/// the blocks (rules 79). Calls that add the same share a partition; nobody else has it.
package final class ResourceAdditions: Sendable {
    let partition: String
    let headers: Headers
    let functions: [ConfigurationFunction]

    /// Nil if there is nothing to add: the resource is that of everybody.
    init?(_ headers: Headers, _ functions: [ConfigurationFunction]) {
        if headers.isEmpty, headers.omitted.isEmpty, functions.isEmpty { return nil }
        self.headers = headers
        self.functions = functions
        var fields = PartitionDigest()
        // With the number of each kind, no name can pass for a value.
        fields.add("\(headers.omitted.count) \(headers.fields.count)")
        for name in headers.omitted.sorted() { fields.add(name) }
        for field in headers.fields {
            fields.add(field.name.lowercased())
            fields.add(field.value)
        }
        for function in functions { fields.add(function.identity.text) }
        partition = Partition.callPrefix + fields.name
    }

    /// Sets the headers, which replace configured ones (35.5).
    func write(to draft: inout RequestDraft) {
        for name in headers.omitted { draft.headers.omit(name) }
        draft.headers.replace(by: headers)
    }
}

extension Resource {
    /// The partition of a client or a user; nil also for a resource of a call, which shares cookies, limits,
    /// refreshes and sources with all others (79.4).
    package nonisolated var clientPartition: String? { additions == nil ? partition : nil }

    /// Whether its partition is known in this process alone, so that nothing of it is kept beyond.
    package nonisolated var isOfProcess: Bool { additions != nil || Partition.isOfCredentials(partition) }
}

/// The name of a partition that stands for secrets: a digest with a key of this process, from which nobody
/// can find them.
package struct PartitionDigest {
    /// Nil if the machine has no random bytes, so that there is no digest either.
    private static let key = Crypto.randomBytes(32)

    private var bytes: [UInt8] = []

    package init() {}

    /// Adds a text. Its length comes first, so that no two lists of texts are the same bytes.
    package mutating func add(_ text: String) {
        bytes += Array("\(text.utf8.count):".utf8)
        bytes += Array(text.utf8)
    }

    /// If no digest can be made, each is a name of its own.
    package var name: String {
        let digest = Self.key.flatMap { HashFunction.sha256.authenticationCode(key: $0, bytes) }
        return digest.map { Hex.encode(Array($0.prefix(16))) } ?? Self.unique()
    }

    private static func unique() -> String {
        (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }.joined()
    }
}
