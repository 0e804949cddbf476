import RestEngine

/// Heavy work on content runs on other processors, so that a transformer never holds up the engine's loop.
@EngineActor
func summaries(_ api: API) throws -> Service {
    let service = try api.service("transformer_module")
    service.configureTransformer("/reports/*") { (report: Tree, _) in
        let words = report.description.lowercased().split { !$0.isLetter }
        return try TreeEncoder().encode(["words": Set(words).sorted().map(String.init)])
    }
    return service
}
