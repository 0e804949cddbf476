import RestEngine

/// ``TokenRefresh`` step by step: a chain waits for the request, and decides what happens with its outcome.
/// In this version each failed request logs in by itself.
@EngineActor
final class TokenRefreshByHand {
    let service: Service
    private var token = "expired"

    init(_ api: API) throws {
        service = try api.service("token_refresh_by_hand")
        service.configure("/private/**") { [weak self] configuration in
            guard let self else { return }
            configuration.headers[.authorization] = "Bearer \(token)"
            configuration.decorators.append { [weak self] _, request in
                request.chained { info in
                    guard let self, info.response.error?.httpStatusCode == 401 else {
                        return .useThisResponse
                    }
                    return .passTo(
                        self.logIn().chained { answer in
                            answer.response.error == nil ? .passTo(request.repeated()) : .useThisResponse
                        })
                }
            }
        }
    }

    private func logIn() -> Request {
        service.resource("/-/login").request(.post, json: API.credentials).onSuccess { [weak self] answer in
            guard let self, let new = answer.json["token"]?.string else { return }
            token = new
            service.invalidateConfiguration()
        }
    }
}
