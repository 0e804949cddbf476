public import Foundation
public import RestEngine

extension Service {
    /// Has the content of matching resources decoded by Foundation's decoder, with the strategies that it has
    /// for dates, data and keys, once for all who ask. It gets the text of the response, or JSON that is made
    /// of what a stage before it returned:
    /// ``Service/model(_:at:stage:methods:decoder:onEngineLoop:description:fileID:line:)`` does without.
    public func model<Model: Decodable & Sendable>(
        _ type: Model.Type, at pattern: ResourcePattern, stage: StageName = .model,
        methods: Set<Method>? = Method.ofTransformers, decoder: JSONDecoder, description: String? = nil,
        fileID: String = #fileID, line: Int = #line
    ) {
        configureTransformer(
            pattern, stage: stage, methods: methods, onMismatch: .skipIfOutputMatches,
            description: description ?? "model \(type) at \(fileID):\(line)", fileID: fileID, line: line
        ) { (content: Tree, _) -> Model? in
            try decoder.decode(type, from: Data(try content.text?.reading?.text ?? content.json()))
        }
    }
}

extension Entity {
    /// The content as a `Value` that Foundation's decoder makes of its JSON.
    ///
    /// - Throws: A `RequestError` whose cause says what is wrong where.
    public func content<Value: Decodable>(
        as type: Value.Type, decoder: JSONDecoder
    ) throws(RequestError) -> Value {
        do {
            guard let data else { return try content(as: type) }
            return try decoder.decode(type, from: data)
        } catch {
            throw RequestError(thrown: error, entity: self, timestamp: timestamp)
        }
    }
}

extension RequestBody {
    /// A value as JSON in the form that Foundation's encoder gives it.
    ///
    /// - Throws: The errors of the encoder.
    public static func json<Value: Encodable>(
        encoding value: Value, encoder: JSONEncoder
    ) throws -> RequestBody {
        .json(try Tree(json: [UInt8](try encoder.encode(value))))
    }
}
