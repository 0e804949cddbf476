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

    /// Bytes as received; the first of the standard order.
    public static let rawData: StageName = "raw_data"
    /// Bytes are decrypted or unpacked into other bytes.
    public static let decoding: StageName = "decoding"
    /// The standard transformers run here.
    public static let parsing: StageName = "parsing"
    /// Models are made here.
    public static let model: StageName = "model"
    /// The last stage: work on a finished model.
    public static let cleanup: StageName = "cleanup"
}

extension StageName {
    /// A message about a misspelt name; nil if the name is one of the pipeline's, or similar to none. Any
    /// name makes a stage, but a stage that is not in the order never runs: a stage whose name is similar to
    /// another must be in the order before it is filled.
    package func advice(in pipeline: Pipeline) -> String? {
        pipeline[self].isEmpty ? advice(among: pipeline.order, orderIs: "c.pipeline.order") : nil
    }

    /// - Parameters:
    ///   - order: The order of the pipeline.
    ///   - text: The name of that order for the reader.
    func advice(among order: [StageName], orderIs text: String) -> String? {
        let known = order + Pipeline.defaultOrder.filter { !order.contains($0) }
        guard !known.contains(self), let nearest = nearest(among: known.map(\.rawValue)) else { return nil }
        return
            "there is no stage '\(rawValue)' in the pipeline: did you mean '\(nearest)'? A stage of your own has to be "
            + "named in \(text) first"
    }

    /// The known name with a small difference: letters left out, added, exchanged or capitalized, but not
    /// names that only share a word.
    private func nearest(among known: [String]) -> String? {
        guard (3...64).contains(rawValue.utf8.count) else { return nil }
        // An abbreviated name such as `raw`.
        if let whole = known.first(where: { $0.hasPrefix(rawValue + "_") }) { return whole }
        let tolerance = rawValue.utf8.count < 6 ? 1 : 2
        return known.map { (name: $0, distance: Self.distance(rawValue, $0)) }
            .min { $0.distance < $1.distance }
            .flatMap { $0.distance <= tolerance ? $0.name : nil }
    }

    private static func distance(_ left: String, _ right: String) -> Int {
        // A digit at the end distinguishes a stage from similar ones: `model2`.
        if left.last?.isNumber != right.last?.isNumber { return .max }
        return NearestName.distance(plainly(left), plainly(right))
    }

    private static func plainly(_ name: String) -> [UInt8] {
        Array(name.lowercased().utf8.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: " ") })
    }
}

extension Configuration {
    /// Throws if an edit has filled a stage that does not run and whose name is similar to another.
    func refuseMisspeltStages(since before: Configuration) throws(RequestError.CauseError) {
        for name in pipeline.unlistedStages where before.pipeline[name].isEmpty {
            if let advice = name.advice(among: pipeline.order, orderIs: "pipeline.order") {
                throw RequestError.CauseError(.internal(message: advice))
            }
        }
    }
}
