import LuaRuntime
import RestEngine

/// Tells a stage's misspelled name from that of a new stage: any name makes a stage, and one that nothing runs is of no
/// use.
enum StageName {
    /// What is wrong with a name; nil when it is one of the pipeline's, or like none of them. A stage of the script's own
    /// that is named nearly as another has to be in the order before it is filled.
    static func advice(_ name: String, in pipeline: Pipeline) -> String? {
        let known = pipeline.order + Pipeline.defaultOrder.filter { !pipeline.order.contains($0) }
        guard !known.contains(name), pipeline[name].isEmpty, let nearest = nearest(name, among: known) else {
            return nil
        }
        return
            "there is no stage '\(name)' in the pipeline: did you mean '\(nearest)'? A stage of your own has to be "
            + "named in c.pipeline.order first"
    }

    /// Letters that were left out, added, exchanged or written large; not the parts of words that other names share.
    private static func nearest(_ name: String, among known: [String]) -> String? {
        guard (3...64).contains(name.utf8.count) else { return nil }
        let tolerance = name.utf8.count < 6 ? 1 : 2
        return known.map { (name: $0, distance: distance(name, $0)) }
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

extension ScriptContext {
    /// For a declaration that names a stage, when its block is run: by then the order is known.
    func requireStage(
        _ name: String, of pipeline: Pipeline, at place: (file: String, line: Int)?
    ) throws(RequestError.CauseError) {
        guard let advice = StageName.advice(name, in: pipeline) else { return }
        throw RequestError.CauseError(
            .scriptError(.init(message: advice, file: place?.file, line: place?.line)))
    }
}
