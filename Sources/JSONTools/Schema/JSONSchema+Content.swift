package import RestEngine

extension JSONSchema: ContentSchema {
    package func problems(
        of content: Tree, most: Int, poll: @escaping () throws -> Void
    ) throws -> [String] {
        try mismatches(of: content, most: most, work: WorkLimit(steps: Self.mostSteps, poll: poll)).map {
            "\($0.path.isEmpty ? "the value" : $0.path.shortened) \($0.message) (\($0.schema.shortened))"
        }
    }
}
