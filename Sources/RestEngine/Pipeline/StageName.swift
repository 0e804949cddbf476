import Platform

/// The name of a stage of pipelines (D26).
///
///     configuration.pipeline[.parsing]   configuration.pipeline["signature"]
public struct StageName: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// The stage of that name.
    public init(_ name: String) { rawValue = name }

    public init(stringLiteral name: String) { rawValue = name }

    public var description: String { rawValue }

    /// Bytes as they came; the first of the standard order.
    public static let rawData: StageName = "raw_data"
    /// Where bytes are decrypted or unpacked into other bytes.
    public static let decoding: StageName = "decoding"
    /// Where the standard transformers are.
    public static let parsing: StageName = "parsing"
    /// Where models are made.
    public static let model: StageName = "model"
    /// The last: what is done with a finished model.
    public static let cleanup: StageName = "cleanup"
}

extension StageName {
    /// What is wrong with a name; nil when it is one of the pipeline's, or like none of them. Any name makes
    /// a stage, and one that nothing runs is of no use: a stage of one's own that is named nearly as another
    /// has to be in the order before it is filled.
    package func advice(in pipeline: Pipeline) -> String? {
        pipeline[self].isEmpty ? advice(among: pipeline.order, orderIs: "c.pipeline.order") : nil
    }

    /// - Parameters:
    ///   - order: of the pipeline.
    ///   - text: what the reader calls that order.
    func advice(among order: [StageName], orderIs text: String) -> String? {
        let known = order + Pipeline.defaultOrder.filter { !order.contains($0) }
        guard !known.contains(self), let nearest = nearest(among: known.map(\.rawValue)) else { return nil }
        return
            "there is no stage '\(rawValue)' in the pipeline: did you mean '\(nearest)'? A stage of your own has to be "
            + "named in \(text) first"
    }

    /// Letters that were left out, added, exchanged or written large; not the parts of words that other names
    /// share.
    private func nearest(among known: [String]) -> String? {
        guard (3...64).contains(rawValue.utf8.count) else { return nil }
        // A name that was cut short, as `raw` is.
        if let whole = known.first(where: { $0.hasPrefix(rawValue + "_") }) { return whole }
        let tolerance = rawValue.utf8.count < 6 ? 1 : 2
        return known.map { (name: $0, distance: Self.distance(rawValue, $0)) }
            .min { $0.distance < $1.distance }
            .flatMap { $0.distance <= tolerance ? $0.name : nil }
    }

    private static func distance(_ left: String, _ right: String) -> Int {
        // A digit at the end tells a stage from others of its kind: `model2`.
        if left.last?.isNumber != right.last?.isNumber { return .max }
        return NearestName.distance(plainly(left), plainly(right))
    }

    private static func plainly(_ name: String) -> [UInt8] {
        Array(name.lowercased().utf8.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: " ") })
    }
}

extension Configuration {
    /// Refuses what an edit put into stages that nothing runs and whose names are nearly those of others.
    func refuseMisspeltStages(since before: Configuration) throws(RequestError.CauseError) {
        for name in pipeline.unlistedStages where before.pipeline[name].isEmpty {
            if let advice = name.advice(among: pipeline.order, orderIs: "pipeline.order") {
                throw RequestError.CauseError(.internal(message: advice))
            }
        }
    }
}
