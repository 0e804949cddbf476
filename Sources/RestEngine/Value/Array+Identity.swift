extension Array where Element: AnyObject {
    // Loops and no closures: one of the loop's, called by the standard library, has its isolation checked for each
    // element, which costs ten times the comparison.

    /// This very object is among them.
    func contains(identical object: Element?) -> Bool {
        for element in self where element === object { return true }
        return false
    }

    /// Removes this very object; nothing when it isn't there.
    mutating func remove(identical object: Element?) {
        for index in indices where self[index] === object {
            remove(at: index)
            return
        }
    }
}
