import RestEngine

/// What ``TokenRefresh`` leaves to a gate, step by step: a chain waits for the request and decides what becomes
/// of its outcome. Each request that fails logs in by itself here.
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
