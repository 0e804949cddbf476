import RestEngine

/// The partition of a client's own credentials for the API.
enum CredentialPartition {
    /// Nil without fields. If no digest can be made, each request gets a partition of its own.
    static func name(for fields: [(name: String, value: String)]) -> String? {
        if fields.isEmpty { return nil }
        var digest = PartitionDigest()
        for field in fields.map({ ($0.name.lowercased(), $0.value) }).sorted(by: <) {
            digest.add(field.0)
            digest.add(field.1)
        }
        return Partition.credentialsPrefix + digest.name
    }
}
