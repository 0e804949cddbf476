import Gateway
import RestEngine
import RestScript

extension GatewayRoute {
    init(_ declared: GatewayDeclaration.Route) {
        self.init(
            method: declared.method, isForAllMethods: declared.isForAllMethods, template: declared.path,
            expirationSeconds: declared.expirationTime, streamsBody: declared.streamsBody,
            handler: declared.handler.answer)
    }
}

extension GatewayHook {
    init(_ declared: GatewayDeclaration.Hook) {
        let rate = declared.rate.map { GatewayRate(requests: $0.requests, per: $0.per, burst: $0.burst) }
        self.init(
            template: declared.path, methods: declared.methods, rate: rate,
            action: Self.action(declared.stage, declared.handler))
    }

    private static func action(
        _ stage: GatewayDeclaration.Hook.Stage, _ handler: ScriptGatewayHook?
    ) -> Action {
        guard let handler else { return .before(nil) }
        guard stage == .before else { return .after(handler.after) }
        return .before { request, forward, completion in
            handler.before(request, forward) { result in
                completion(
                    result.map { result -> Decision in
                        if let answer = result.answer { return .answer(answer) }
                        return .proceed(forward: result.forward, partition: result.partition)
                    })
            }
        }
    }
}
