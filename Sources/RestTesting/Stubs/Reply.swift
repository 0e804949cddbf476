import Platform
public import RestEngine

extension StubbedAPI {
    /// The answer of a stub.
    public struct Reply: Sendable {
        var reply: StubReply

        /// The most bytes of a file.
        static let mostFileBytes = 256 << 20

        /// A response with a body of bytes.
        public static func response(_ status: Int, headers: Headers = Headers(), body: [UInt8] = []) -> Reply
        {
            Reply(reply: .response(status, headers: headers, body: body))
        }

        /// A response with a text in UTF-8.
        ///
        /// - Parameters:
        ///   - text: The body.
        ///   - status: The status.
        ///   - type: Its content type.
        public static func text(
            _ text: String, status: Int = 200, type: String = "text/plain; charset=utf-8"
        ) -> Reply {
            Reply(reply: .text(status, text, type: type))
        }

        /// A response with JSON text, with the content type `application/json`.
        public static func json(_ json: String, status: Int = 200) -> Reply {
            Reply(reply: .json(status, json))
        }

        /// A response with a value as JSON.
        ///
        /// - Throws: The error of a value that has no form in JSON.
        public static func json(
            of value: some Encodable, status: Int = 200, encoder: TreeEncoder = TreeEncoder()
        ) throws -> Reply {
            let body = try encoder.encode(value).json()
            return .response(status, headers: Headers([("Content-Type", FileContentType.json)]), body: body)
        }

        /// A response with the content of a file, which is read now. The content type follows from the file's
        /// name.
        ///
        /// - Parameters:
        ///   - path: Relative to the folder of `source`, or absolute.
        ///   - status: The status.
        ///   - headers: Added to the content type; a content type among them replaces it.
        ///   - source: The file of the test.
        /// - Throws: `FileError` for a file that can't be read, or that has more than 256 MiB.
        public static func file(
            _ path: String, status: Int = 200, headers: Headers = Headers(),
            besides source: String = #filePath
        ) throws(FileError) -> Reply {
            let path = beside(source, path)
            let body = try WholeFile.read(path, limit: mostFileBytes)
            var headers = headers
            if !headers.contains("Content-Type") { headers.set("Content-Type", FileContentType.of(path)) }
            return .response(status, headers: headers, body: body)
        }

        /// An error in place of a response, such as a connection that can't be made.
        public static func failure(
            _ code: TransportError.Code, _ message: String = "the stub says so"
        ) -> Reply {
            Reply(reply: .error(TransportError(code, message: message)))
        }

        /// An error in place of a response, in all detail.
        public static func failure(_ error: TransportError) -> Reply { Reply(reply: .error(error)) }

        /// The same reply after a delay, on the clock of the test.
        public func delayed(by delay: Duration) -> Reply {
            var changed = self
            changed.reply.delay = delay
            return changed
        }

        /// The same reply, which waits for ``StubbedAPI/Stub/release()``.
        public func held() -> Reply {
            var changed = self
            changed.reply.isHeld = true
            return changed
        }
    }
}

/// A path relative to the folder of a file.
func beside(_ file: String, _ path: String) -> String {
    guard !path.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return path }
    return file[...slash] + path
}
