extension Resource {
    /// Where this resource's fresh answers appear from now on.
    public func publicationForReaders() -> Publication {
        if let publication { return publication }
        let new = Publication()
        publication = new
        publish()
        return new
    }

    /// Up-to-date content as ``read(_:)`` gives it, encoded; `completion` may run before this returns.
    public func readAnswer(
        _ completion: @escaping @EngineActor (Result<PublishedAnswer, RequestError>) -> Void
    ) {
        read { [self] result in
            switch result {
            case .failure(let error): completion(.failure(error))
            case .success(let entity):
                // A change of configuration withdrew the answer, and no event brings it back.
                if isWithdrawn { publish() }
                completion(encodedAnswer(of: latestData ?? entity))
            }
        }
    }

    /// Shows the current data to readers on other threads, or nothing when it isn't fresh.
    func publish() {
        isWithdrawn = false
        guard let publication else { return }
        guard let data = freshData, case .success(let answer) = encodedAnswer(of: data) else {
            return publication.set(nil)
        }
        // Without room it isn't kept.
        publication.set(encoded == nil ? nil : answer)
    }

    /// Hides the answer until somebody reads through the loop.
    func withdraw() {
        isWithdrawn = true
        publication?.set(nil)
    }

    private func encodedAnswer(of entity: Entity) -> Result<PublishedAnswer, RequestError> {
        let expiresAt =
            freshData == nil ? 0 : entity.timestamp + configuration(for: "GET").expirationTime
        do throws(RequestError.CauseError) {
            let content = if let encoded { encoded } else { try EncodedContent(entity) }
            encoded = latestData == nil ? nil : content
            recount()
            return .success(
                PublishedAnswer(content: content, timestamp: entity.timestamp, expiresAt: expiresAt))
        } catch {
            return .failure(
                RequestError(
                    thrown: error, entity: entity, timestamp: engine.scheduler.now, url: urlString,
                    method: "GET"))
        }
    }
}
