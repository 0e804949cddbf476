internal import CCurl
internal import RestEngine

/// The outcome of a transfer.
extension EasyHandle {
    func result(_ code: CURLcode) -> TransportResult {
        if let refusal { return withoutBody(refusal) }
        if let uploadFailure { return .failure(uploadFailure) }
        if code == CURLE_OPERATION_TIMEDOUT {
            return .failure(timeout(deadlines.connected == nil ? .connect : .total))
        }
        guard code == CURLE_OK else {
            // libcurl does not begin anew when the server of a kept HTTP/2 connection goes away (RFC 9113
            // 6.8) or closes it without a word.
            if code == CURLE_HTTP2 || code == CURLE_PARTIAL_FILE, openedSockets.isEmpty,
                !deadlines.hasResponse
            {
                return .failure(staleConnection)
            }
            if isHeadTooLarge(code) {
                return .failure(code == CURLE_OUT_OF_MEMORY ? .lineTooLarge : .headTooLarge)
            }
            let error = TransportError(
                curlCode: code.rawValue, hasResponse: deadlines.hasResponse, detail: errorDetail)
            return .failure(failureFacts.explain(error, code.rawValue))
        }
        guard head.isComplete, head.isFinal else { return .failure(.incompleteHead) }
        if let decoder, !decoder.isWhole { return withoutBody(.incompleteBody(head.codings)) }
        return .success(response())
    }

    /// The body of a redirect is no content, and that of a failure says less than its status: such a response
    /// is its head alone.
    private func withoutBody(_ error: TransportError) -> TransportResult {
        guard head.isComplete, head.status >= 300 else { return .failure(error) }
        LargeContent.discard(takeBody())
        var response = response()
        response.bodyError = error
        return .success(response)
    }

    /// libcurl says of a line that is too long that it has no memory, and of a head that nothing can be read.
    private func isHeadTooLarge(_ code: CURLcode) -> Bool {
        switch code {
        case CURLE_OUT_OF_MEMORY: deadlines.connected != nil && !head.isComplete
        case CURLE_RECV_ERROR: errorDetail.hasPrefix("Too large response headers")
        default: false
        }
    }

    func timeout(_ phase: TransportError.Phase) -> TransportError {
        let message =
            switch phase {
            case .connect: "no connection was made within the time limit"
            case .firstByte: "the response did not begin within the time limit"
            case .idle: "no byte came or went within the idle time limit"
            default: "the transfer did not end within the time limit"
            }
        return TransportError(.timeout, phase: phase, message: message)
    }

    var progress: TransferProgress {
        var progress = TransferProgress()
        progress.bytesSent = offset(CURLINFO_SIZE_UPLOAD_T)
        progress.bytesToSend = bytesToSend
        progress.bytesReceived = offset(CURLINFO_SIZE_DOWNLOAD_T)
        let length = offset(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
        progress.bytesToReceive = deadlines.hasResponse && length >= 0 ? length : nil
        return progress
    }

    /// Of a form libcurl knows it when it begins to send.
    private var bytesToSend: Int64? {
        guard form != nil else { return upload?.count ?? 0 }
        let count = offset(CURLINFO_CONTENT_LENGTH_UPLOAD_T)
        return count >= 0 ? count : nil
    }

    /// The response before its body has come.
    func responseHead() -> TransportResponse {
        let isDecoded = decodesBody && !isHead
        var response = TransportResponse(
            status: head.status, httpVersion: head.httpVersion, headers: head.headers(isDecoded: isDecoded))
        if isDecoded { response.isDecoded = true }
        return response
    }

    private func response() -> TransportResponse {
        let timings = timings()
        let isDecoded = decodesBody && !isHead && timings.bytesReceived > 0
        // A body in pieces is joined elsewhere.
        let body = body.isInPieces ? [] : body.join()
        var response = TransportResponse(
            status: head.status, httpVersion: head.httpVersion, headers: head.headers(isDecoded: isDecoded),
            body: body, timings: timings)
        if wantsRemoteAddress { response.remoteAddress = remoteAddress }
        return response
    }

    /// Moves the received body out of the handle.
    func takeBody() -> ReceivedBody {
        defer { body = ReceivedBody() }
        return body
    }

    private var remoteAddress: String? {
        var address: UnsafeMutablePointer<CChar>?
        var port = 0
        ccurl_get_text(easy, CURLINFO_PRIMARY_IP, &address)
        ccurl_get_long(easy, CURLINFO_PRIMARY_PORT, &port)
        guard let address, address.pointee != 0 else { return nil }
        let text = String(cString: address)
        return text.contains(":") ? "[\(text)]:\(port)" : "\(text):\(port)"
    }

    private func timings() -> TransferTimings {
        var timings = TransferTimings()
        var newConnections = 0
        ccurl_get_long(easy, CURLINFO_NUM_CONNECTS, &newConnections)
        timings.isConnectionReused = newConnections == 0
        timings.queueSeconds = deadlines.queueTime
        // For a reused connection libcurl reports when it was found.
        if newConnections > 0 {
            timings.nameLookupSeconds = seconds(CURLINFO_NAMELOOKUP_TIME_T)
            timings.connectSeconds = seconds(CURLINFO_CONNECT_TIME_T)
            timings.tlsSeconds = seconds(CURLINFO_APPCONNECT_TIME_T)
        }
        timings.firstByteSeconds = seconds(CURLINFO_STARTTRANSFER_TIME_T)
        timings.totalSeconds = seconds(CURLINFO_TOTAL_TIME_T)
        timings.bytesReceived = offset(CURLINFO_SIZE_DOWNLOAD_T)
        let body = offset(CURLINFO_SIZE_UPLOAD_T)
        timings.headBytesSent = headBytes(body: body)
        timings.bytesSent = timings.headBytesSent + body
        return timings
    }

    /// Of the request, and of one that opened a tunnel for it.
    private func headBytes(body: Int64) -> Int64 {
        var count = 0
        ccurl_get_long(easy, CURLINFO_REQUEST_SIZE, &count)
        // Up to 8.6 libcurl counts the part of a body that leaves in one piece with the head as part of the
        // head, which it does in HTTP/1 alone. A body of which only a part did so hides the size of the head.
        let isCounted = shape.body == .copied && Self.countsCopiedBodies && head.httpVersion != "HTTP/2"
        return max(0, Int64(count) - (isCounted ? body : 0))
    }

    private static let countsCopiedBodies =
        curl_version_info(CURLVERSION_FIRST).pointee.version_num < 0x08_07_00

    private func offset(_ info: CURLINFO) -> Int64 {
        var value: curl_off_t = 0
        ccurl_get_offset(easy, info, &value)
        return Int64(value)
    }

    private func seconds(_ microseconds: CURLINFO) -> Double { Double(offset(microseconds)) / 1e6 }
}
