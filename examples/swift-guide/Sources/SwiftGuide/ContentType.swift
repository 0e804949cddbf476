import RestEngine

/// A transformer for one kind of content: it only runs for JSON, for any resource.
@EngineActor
func contentType(_ api: API) throws -> Service {
    struct Report: Codable, Sendable {
        var checked: Bool?
        var pages: Int
        var title: String
    }

    let service = try api.service("content_type")
    service.model(Report.self, at: "/reports/*")
    service.configureTransformer("**", stage: .cleanup, contentTypes: ["*/json", "*/*+json"]) {
        (report: Report, _) in
        var report = report
        report.checked = true
        return try TreeEncoder().encode(report)
    }
    return service
}
