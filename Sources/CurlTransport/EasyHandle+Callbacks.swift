internal import CCurl
internal import Platform
internal import RestEngine

/// libcurl calls these during `curl_multi_perform`, on the thread of the set. They call neither libcurl's
/// multi functions nor code of callers: completions wait until the pass is over.
extension EasyHandle {
    func setCallbacks() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        ccurl_set_pointer(easy, CURLOPT_PRIVATE, context)

        ccurl_set_pointer(easy, CURLOPT_WRITEDATA, context)
        ccurl_set_write(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            EasyHandle.with(context) {
                $0.receiveBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
            }
        }
        ccurl_set_pointer(easy, CURLOPT_HEADERDATA, context)
        ccurl_set_write(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            EasyHandle.with(context) {
                $0.receiveHead(UnsafeRawBufferPointer(start: bytes, count: size * count))
            }
        }
        ccurl_set_pointer(easy, CURLOPT_READDATA, context)
        ccurl_set_read(easy) { bytes, size, count, context in
            EasyHandle.with(context) {
                $0.sendBody(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
            }
        }
        ccurl_set_pointer(easy, CURLOPT_SEEKDATA, context)
        ccurl_set_seek(easy) { context, offset, origin in
            EasyHandle.with(context) { $0.rewindBody(to: Int(offset), origin: origin) }
        }
        ccurl_set_pointer(easy, CURLOPT_PREREQDATA, context)
        ccurl_set_prerequest(easy) { context, _, _, _, port in
            EasyHandle.with(context) { handle in
                guard handle.maySend(from: port) else { return CURL_PREREQFUNC_ABORT }
                handle.connectionReady()
                return CURL_PREREQFUNC_OK
            }
        }
        ccurl_set_pointer(easy, CURLOPT_RESOLVER_START_DATA, context)
        ccurl_set_resolver_start(easy) { _, _, context in
            EasyHandle.with(context) { $0.connectionBegan() }
            return 0
        }
        ccurl_watch_connections(sockets.watch, easy)
        ccurl_set_pointer(easy, CURLOPT_OPENSOCKETDATA, context)
        ccurl_set_open_socket(easy) { context, _, address in
            // As libcurl would make it, but libcurl doesn't say why it can't.
            guard let address = address?.pointee, !EasyHandle.with(context, { $0.isAboutToRepeat() }) else {
                return -1
            }
            #if os(Linux)
                let type = address.socktype | Int32(SOCK_CLOEXEC.rawValue)
            #else
                let type = address.socktype
            #endif
            let descriptor = socket(address.family, type, address.protocol)
            guard descriptor >= DescriptorLimit.firstKept || descriptor < 0 else {
                EasyHandle.with(context) { $0.hasOpened(descriptor) }
                return descriptor
            }
            let reason = descriptor < 0 ? errno : EMFILE
            if descriptor >= 0 { close(descriptor) }
            EasyHandle.with(context) { $0.socketError = reason }
            return -1
        }
        ccurl_set_pointer(easy, CURLOPT_SOCKOPTDATA, context)
        ccurl_set_socket(easy) { context, _, _ in
            EasyHandle.with(context) { $0.connectionBegan() }
            return CURL_SOCKOPT_OK
        }
    }

    /// The handle that owns the easy handle; it outlives every call on it, so it is not counted for each.
    @inline(__always)
    private static func with<Value>(_ context: UnsafeMutableRawPointer?, _ body: (EasyHandle) -> Value)
        -> Value
    {
        // The context is set once, in `setCallbacks`, and never nil.
        Unmanaged<EasyHandle>.fromOpaque(context!)._withUnsafeGuaranteedRef(body)
    }

    /// When something has come on a connection while it rested, libcurl takes that for the answer to what it
    /// is about to send.
    private func maySend(from port: Int32) -> Bool {
        if isAboutToRepeat() { return false }
        if openedSockets.isEmpty,
            ccurl_watch_has_input(sockets.watch, port)
                || wantsFreshConnection && ccurl_watch_has_http1(sockets.watch, port)
        {
            hasRefusedConnection = true
            return false
        }
        return true
    }

    /// When a connection that was kept breaks before a byte of the response, or a server refuses a stream,
    /// libcurl sends the request again, up to five times and whatever its method. It is the engine that may
    /// do so (RFC 9110 9.2.2, RFC 9112 9.3.1): it counts what is sent.
    private func isAboutToRepeat() -> Bool {
        // Another version of HTTP is no repeat: of this stream nothing was done (RFC 9113 7).
        guard deadlines.connected != nil, isSentAgain || !errorDetail.contains("HTTP_1_1_REQUIRED") else {
            return false
        }
        refusal = staleConnection
        return true
    }

    var staleConnection: TransportError {
        .staleConnection(isSentOnce: isSentOnce || upload?.isSpent == true)
    }

    private func hasOpened(_ socket: Int32) {
        openedSockets.append(socket)
        ccurl_watch_opened(sockets.watch, socket, easy)
    }

    /// A connection of this transfer has had its first answer, and will rest behind it.
    private func noteProtocol() {
        guard head.httpVersion.hasPrefix("HTTP/1") else { return }
        for socket in openedSockets { ccurl_watch_note_http1(sockets.watch, socket, easy) }
    }

    private func receiveHead(_ line: UnsafeRawBufferPointer) -> Int {
        head.append(line)
        if let fault = head.fault { return refuse(fault) }
        if head.isFinal { noteResponse() }
        return line.count
    }

    private func receiveBody(_ chunk: UnsafeRawBufferPointer) -> Int {
        noteResponse()
        // A response that begins goes on: most are small, and done with that.
        guard time.allowance > 0 || body.isEmpty else { return pauseForOthers() }
        if let stream {
            if !(200..<300).contains(head.status) {
                self.stream = nil
            } else if !makeRoom(in: stream) {
                return Int(CURL_WRITEFUNC_PAUSE)
            }
        }
        if decodesBody { return receiveEncoded(chunk) }
        time.allowance -= chunk.count
        return take(chunk) ? chunk.count : -1
    }

    /// The body has a coding that is undone.
    var decodesBody: Bool {
        head.isEncoded && (stream?.receiver.takesCodedBody != true || head.isTransferEncoded)
    }

    /// libcurl gives the chunk again in the next pass (CURLOPT_WRITEFUNCTION(3)).
    private func pauseForOthers() -> Int {
        isResting = true
        time.resting.append(self)
        return Int(CURL_WRITEFUNC_PAUSE)
    }

    private func receiveEncoded(_ chunk: UnsafeRawBufferPointer) -> Int {
        if decoder == nil { decoder = BodyDecoder(head.codings) }
        guard let decoder else { return refuse(.undecodableBody) }
        let least = body.isEmpty ? Self.leastDecoded : 0
        var allowance = max(time.allowance / Self.costOfDecodedByte, least)
        defer { time.allowance = allowance * Self.costOfDecodedByte }
        // A chunk that is given again begins where it did (CURLOPT_WRITEFUNCTION(3)).
        let rest = UnsafeRawBufferPointer(rebasing: chunk.dropFirst(decodedOfChunk))
        switch decoder.decode(rest, allowance: &allowance, take) {
        case .taken:
            decodedOfChunk = 0
            return chunk.count
        case .interrupted(let count):
            decodedOfChunk += count
            return pauseForOthers()
        case .malformed: return refuse(.undecodableBody)
        case .refused: return -1
        }
    }

    /// Beside one that is taken as it is.
    private static let costOfDecodedByte = 2
    /// Of a response that begins in a pass which others have used up.
    private static let leastDecoded = 16 << 10

    /// Ends the transfer (CURLOPT_WRITEFUNCTION(3)).
    private func refuse(_ error: TransportError) -> Int {
        refusal = error
        return -1
    }

    /// False when the receiver has to take something first. The line may rest meanwhile.
    private func makeRoom(in stream: BodyStream) -> Bool {
        if stream.head == nil { stream.head = responseHead() }
        if stream.isFull {
            stream.isPaused = true
            deadlines.bodyHeld()
            return false
        }
        if let transfer { time.arrived.append(transfer) }
        return true
    }

    /// False when it is more than may come.
    private func take(_ part: UnsafeRawBufferPointer) -> Bool {
        if let stream {
            stream.append(part)
            return true
        }
        if body.count + part.count > maxBodyBytes || (body.isEmpty && !reserve()) {
            refusal = TransportError(
                .tooLarge, phase: .receive,
                message: "the response's body is larger than the limit of \(maxBodyBytes) bytes",
                limit: maxBodyBytes)
            return false
        }
        if let needed = body.room(for: part.count) {
            guard isRoom(for: needed) else { return false }
            body.makeRoom(for: part.count)
        }
        body.append(part)
        return true
    }

    /// Makes room for the announced length; false if it is over the limit already.
    private func reserve() -> Bool {
        var length: curl_off_t = -1
        ccurl_get_offset(easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length)
        guard length > 0 else { return true }
        if !head.isEncoded, length > maxBodyBytes { return false }
        let expected = Int(min(length, curl_off_t(ReceivedBody.pieceBytes)))
        let room = ReceivedBody.room(forAnnounced: head.isEncoded ? expected * 4 : expected)
        if isRoom(for: room) { body.reserve(room) }
        return true
    }

    /// False when there is no room for such a body.
    private func isRoom(for bytes: Int) -> Bool {
        guard let account else { return true }
        guard time.isOfEngine else {
            if account.growWithin(bytes) { return true }
            wantsRoom = true
            return false
        }
        // Inside a pass, which is the engine loop's.
        refusal = EngineActor.assumeIsolated { account.grow(to: bytes) ? nil : account.refusal }
        return refusal == nil
    }

    private func connectionBegan() {
        deadlines.connectionBegan(at: time.now)
        noteDeadline()
    }

    private func connectionReady() {
        if deadlines.connected != nil { isSentAgain = true }
        deadlines.connectionReady(at: time.now)
        noteDeadline()
    }

    private func noteResponse() {
        let isFirst = !deadlines.hasResponse
        deadlines.responseBytes(at: time.now)
        if isFirst {
            noteDeadline()
            if !openedSockets.isEmpty { noteProtocol() }
            // An early refusal ends the sending, but libcurl waits for as long as that is paused.
            goOnWithUpload()
        }
    }

    /// A limit began to run. Limits that only move away need no word: the poller finds out when it looks.
    func noteDeadline() {
        if let next = deadlines.next { time.check(at: next.deadline) }
    }
}
