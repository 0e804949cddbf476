/// Where fixtures come from: a folder, or a test's table.
protocol FixtureFiles: Sendable {
    /// The regular file at these names below the root, else nil.
    func read(_ names: [String]) -> FixtureFile?
    /// The names in the folder at these names, sorted and without hidden ones; nil when it is no folder.
    func names(in folder: [String]) -> [String]?
}
