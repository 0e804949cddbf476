extension Duration {
    /// A duration in minutes of 60 seconds.
    public static func minutes(_ minutes: some BinaryInteger) -> Duration { .seconds(minutes) * 60 }

    /// A duration in hours of 3,600 seconds.
    public static func hours(_ hours: some BinaryInteger) -> Duration { .seconds(hours) * 3600 }

    /// A duration in days of 86,400 seconds.
    public static func days(_ days: some BinaryInteger) -> Duration { .seconds(days) * 86_400 }

    /// The engine uses seconds, which may be infinite; a duration can't be.
    package init(inSeconds seconds: Double) {
        let most = 1e15
        self = seconds.isNaN ? .zero : .seconds(min(max(seconds, -most), most))
    }

    /// The duration in seconds.
    package var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
