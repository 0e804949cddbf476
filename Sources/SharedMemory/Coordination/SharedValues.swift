internal import RestEngine

/// The values that one host hands over to the others, apart from those of caches.
@EngineActor
struct SharedValues {
    let client: RedisClient
    let keys: CoordinationKeys

    /// - Parameters:
    ///   - name: The common end of the keys.
    ///   - service: The value counts while this service has not been invalidated as a whole.
    ///   - completion: Gets nil if there is no value.
    func read(
        _ name: String, of service: String, _ completion: @escaping @EngineActor ([UInt8]?) -> Void
    ) {
        client.run(CoordinationScripts.read, keys: [keys.value(name), keys.generation(service)], []) {
            result in
            if case .success(.bytes(let bytes)) = result { completion(bytes) } else { completion(nil) }
        }
    }
}
