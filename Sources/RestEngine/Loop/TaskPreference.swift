/// The executor of tasks that are made on behalf of the running one, which Swift does not pass on to them: a
/// test sees by it whether they wait.
package enum TaskPreference {
    /// Nil for Swift's own threads.
    @TaskLocal package static var executor: (any TaskExecutor)?
}
