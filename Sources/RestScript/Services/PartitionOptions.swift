import LuaRuntime
import Platform
import RestEngine

/// Options that name a partition (rules 77).
struct PartitionOptions {
    var partition: String?
    /// A glob; nil for all URLs.
    var pattern: String?

    static let ofResource = ScriptSchema<PartitionOptions>([
        partition("The partition that it belongs to, such as a user's name; nil: that of everybody.")
    ])

    static let ofWipe = ScriptSchema<PartitionOptions>([
        partition("Wipes only the resources of this partition."),
        .text("pattern", .pattern, "Wipes only resources whose URL matches this glob.") { $0.pattern = $1 },
    ])

    private static func partition(_ sentence: String) -> ScriptOption<PartitionOptions> {
        .text("partition", .name, sentence) { options, name in
            options.partition = try name.checkedPartition()
        }
    }
}

extension String {
    /// The text, if it can be the name of a partition.
    func checkedPartition() throws(LuaUsageError) -> String {
        if let why = Partition.validationError(to: self) { throw LuaUsageError("bad partition (\(why))") }
        return self
    }
}
