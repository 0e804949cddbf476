internal import CCurl
internal import RestEngine

/// The body of a request, and how libcurl gets at it.
extension EasyHandle {
    /// Sets the body and all that depends on it; files are open then.
    func setBody(_ request: TransportRequest) throws(TransportError) -> RequestShape {
        form = nil
        upload = nil
        if case .multipart(let parts)? = request.upload {
            let shape = RequestShape(formBy: request.method)
            let form = try UploadForm(parts, on: self)
            try setShape(shape)
            ccurl_set_mime(easy, form.mime)
            self.form = form
            return shape
        }
        let reader: UploadReader
        switch request.upload {
        case .file(let path)?: reader = try UploadReader(file: path)
        case .stream(let pipe)?: reader = UploadReader(pipe)
        case .multipart?, nil: reader = UploadReader(request.body ?? [])
        }
        let shape = RequestShape(
            method: request.method, count: reader.count, isInMemory: reader.bytes != nil)
        try setShape(shape)
        upload = reader
        if shape.hasBody { try setContent(reader, shape) }
        return shape
    }

    private func setContent(_ reader: UploadReader, _ shape: RequestShape) throws(TransportError) {
        ccurl_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(reader.count))
        guard shape.body == .copied || shape.body == .empty, let bytes = reader.bytes else {
            ccurl_set_pointer(easy, CURLOPT_POSTFIELDS, nil)
            return
        }
        let code = bytes.withUnsafeBytes { bytes in
            // An empty array may have no address, and no address means to read through the callback.
            let start = bytes.baseAddress ?? UnsafeRawPointer(easy)
            return ccurl_set_string(easy, CURLOPT_COPYPOSTFIELDS, start.assumingMemoryBound(to: CChar.self))
        }
        guard code == CURLE_OK else {
            throw TransportError(.internal, message: "there is no memory for the request's body")
        }
    }

    // MARK: Callbacks

    func sendBody(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let upload else { return 0 }
        return send(from: upload, isLast: true, into: buffer)
    }

    func send(from reader: UploadReader, isLast: Bool, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count: Int?
        do throws(TransportError) { count = try reader.read(into: buffer) } catch {
            uploadFailure = error
            return Int(CURL_READFUNC_ABORT)
        }
        guard let count else {
            isUploadHeld = true
            deadlines.uploadHeld()
            return Int(CURL_READFUNC_PAUSE)
        }
        if isLast, reader.isAtEnd {
            deadlines.bodySent(at: time.now)
        } else {
            deadlines.bodyBytesSent(at: time.now)
        }
        noteDeadline()
        return count
    }

    /// Has libcurl ask for the body again, in the next pass.
    func goOnWithUpload() {
        guard isUploadHeld else { return }
        isUploadHeld = false
        guard !isResting else { return }
        isResting = true
        time.resting.append(self)
    }

    /// libcurl sends a body again when a kept connection turns out to be closed.
    func rewindBody(to offset: Int, origin: Int32) -> Int32 {
        guard let upload else { return CURL_SEEKFUNC_FAIL }
        return Self.seek(upload, to: Int64(offset), origin: origin)
    }

    static func seek(_ reader: UploadReader, to offset: Int64, origin: Int32) -> Int32 {
        guard origin == SEEK_SET, reader.seek(to: offset) else { return CURL_SEEKFUNC_FAIL }
        return CURL_SEEKFUNC_OK
    }
}
