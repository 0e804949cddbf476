extension RequestBody {
    /// A Swift value as JSON; it must make an object or an array (rule 6.5).
    public static func json<Value: Encodable>(
        encoding value: Value, encoder: TreeEncoder = TreeEncoder()
    ) throws(CodingFailure) -> RequestBody {
        .json(try encoder.encode(value))
    }
}

extension Resource {
    /// Starts a request with a Swift value as its JSON body. A value that has no form in JSON fails the request with
    /// cause `invalid_json_object`; nothing is sent (6.5).
    @discardableResult
    public func request(
        _ method: String, json value: some Encodable & Sendable, encoder: TreeEncoder = TreeEncoder(),
        _ options: RequestOptions = RequestOptions()
    ) -> Request {
        var options = options
        do throws(CodingFailure) {
            options.body = .json(try encoder.encode(value))
        } catch {
            return failedRequest(.invalidJSONObject(message: error.description), method: method)
        }
        return request(method, options)
    }
}
