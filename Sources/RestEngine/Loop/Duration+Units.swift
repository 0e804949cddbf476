extension Duration {
    /// So many minutes of 60 seconds.
    public static func minutes(_ minutes: some BinaryInteger) -> Duration { .seconds(minutes) * 60 }

    /// So many hours of 3,600 seconds.
    public static func hours(_ hours: some BinaryInteger) -> Duration { .seconds(hours) * 3600 }

    /// So many days of 86,400 seconds.
    public static func days(_ days: some BinaryInteger) -> Duration { .seconds(days) * 86_400 }

    /// The engine counts in seconds, which may be endless; a duration may not.
    package init(inSeconds seconds: Double) {
        let most = 1e15
        self = seconds.isNaN ? .zero : .seconds(min(max(seconds, -most), most))
    }

    /// The same as a number.
    package var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
