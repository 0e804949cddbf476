import RestScript

extension Generations {
    /// A failed reload, which changed nothing.
    struct Failure {
        /// The report, with the script's lines at that time.
        let report: FailureReport
        /// The time on the scheduler's uptime.
        let at: Double
        let trigger: ReloadTrigger

        var diagnostic: Diagnostic { report.diagnostic }
    }
}
