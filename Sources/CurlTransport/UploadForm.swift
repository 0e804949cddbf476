internal import CCurl
internal import RestEngine

/// A multipart form as libcurl takes it (curl_mime_init(3)); owns it and what its parts are read from.
final class UploadForm {
    let mime: OpaquePointer
    private var parts: [Part] = []

    /// One part, as the callbacks of its data know it.
    final class Part {
        let reader: UploadReader
        /// The owner of the form, and so of this.
        unowned let handle: EasyHandle
        /// Behind it only a boundary is left to send.
        var isLast = false

        init(reader: UploadReader, handle: EasyHandle) {
            self.reader = reader
            self.handle = handle
        }
    }

    /// Opens all files, so that a missing one is known before anything is sent.
    init(_ parts: [MultipartPart], on handle: EasyHandle) throws(TransportError) {
        guard let mime = curl_mime_init(handle.easy) else { throw Self.noMemory }
        self.mime = mime
        for part in parts { try add(part, on: handle) }
        self.parts.last { $0.reader.count > 0 }?.isLast = true
    }

    // libcurl forgets the form where a handle still refers to it (curl_mime_free(3)).
    deinit { curl_mime_free(mime) }

    private func add(_ part: MultipartPart, on handle: EasyHandle) throws(TransportError) {
        let reader =
            switch part.source {
            case .bytes(let bytes): UploadReader(bytes)
            case .file(let path): try UploadReader(file: path)
            }
        let owned = Part(reader: reader, handle: handle)
        parts.append(owned)
        guard let added = curl_mime_addpart(mime), curl_mime_name(added, part.name) == CURLE_OK,
            curl_mime_filename(added, part.sentFilename) == CURLE_OK,
            curl_mime_type(added, part.sentContentType) == CURLE_OK,
            Self.setData(of: added, to: owned) == CURLE_OK
        else { throw Self.noMemory }
    }

    private static func setData(of part: OpaquePointer, to owned: Part) -> CURLcode {
        curl_mime_data_cb(
            part, curl_off_t(owned.reader.count),
            { bytes, size, count, context in
                Part.with(context) { part in
                    part.handle.send(
                        from: part.reader, isLast: part.isLast,
                        into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
                }
            },
            { context, offset, origin in
                Part.with(context) { EasyHandle.seek($0.reader, to: Int64(offset), origin: origin) }
                // Unretained: the form keeps `owned`, and outlives the transfer that calls these.
            }, nil, Unmanaged.passUnretained(owned).toOpaque())
    }

    private static var noMemory: TransportError {
        TransportError(.internal, message: "there is no memory for the request's body")
    }
}

extension UploadForm.Part {
    @inline(__always)
    fileprivate static func with<Value>(
        _ context: UnsafeMutableRawPointer?, _ body: (UploadForm.Part) -> Value
    ) -> Value {
        // The context is given with the callbacks, never nil, and lives as long as the form.
        Unmanaged<UploadForm.Part>.fromOpaque(context!)._withUnsafeGuaranteedRef(body)
    }
}

/// Bytes on their way out, from memory or from a file, and how far they are.
final class UploadReader {
    private enum Source {
        case bytes([UInt8])
        case file(OpenFile)
        case pipe(BodyPipe)
    }
    private let source: Source
    /// -1 if unknown.
    let count: Int64
    private var offset: Int64 = 0
    private var hasEnded = false

    init(_ bytes: [UInt8]) {
        source = .bytes(bytes)
        count = Int64(bytes.count)
    }

    /// Announces what the pipe does.
    init(_ pipe: BodyPipe) {
        source = .pipe(pipe)
        count = pipe.length ?? -1
    }

    /// Announces the size that the file has now.
    init(file path: String) throws(TransportError) {
        do throws(FileError) {
            let file = try OpenFile(path)
            source = .file(file)
            count = file.size
        } catch { throw TransportError(error) }
    }

    var isAtEnd: Bool { offset == count || hasEnded }

    /// Nil for what can be read at any time.
    var pipe: BodyPipe? { if case .pipe(let pipe) = source { pipe } else { nil } }

    /// Some of it is gone, and can't be read again.
    var isSpent: Bool { offset > 0 && pipe != nil }

    /// The next bytes; none at the end, and nil when there are none yet. Throws when there are fewer than
    /// were announced.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int? {
        if case .pipe(let pipe) = source { return try read(pipe, into: buffer) }
        let wanted = Int(min(Int64(buffer.count), count - offset))
        guard wanted > 0 else { return 0 }
        let place = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
        switch source {
        case .bytes(let bytes):
            let start = Int(offset)
            bytes.withUnsafeBytes {
                place.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<(start + wanted)]))
            }
            offset += Int64(wanted)
            return wanted
        case .file(let file):
            let count: Int
            do throws(FileError) { count = try file.read(into: place, at: offset) } catch {
                throw TransportError(error)
            }
            guard count > 0 else { throw TransportError(file.becameShorter) }
            offset += Int64(count)
            return count
        case .pipe: return 0
        }
    }

    private func read(
        _ pipe: BodyPipe, into buffer: UnsafeMutableRawBufferPointer
    ) throws(TransportError) -> Int? {
        let room = count < 0 ? buffer.count : Int(min(Int64(buffer.count), count - offset))
        guard room > 0 else { return 0 }
        switch pipe.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<room])) {
        case .bytes(let count):
            offset += Int64(count)
            return count
        case .nothing: return nil
        case .broken(let error): throw error
        case .end:
            hasEnded = true
            guard count < 0 else {
                throw TransportError(
                    .internal, phase: .send, message: "the request's body is shorter than was announced")
            }
            return 0
        }
    }

    /// False for a place that there is not.
    func seek(to place: Int64) -> Bool {
        if pipe != nil { return place == 0 && offset == 0 }
        guard (0...count).contains(place) else { return false }
        offset = place
        return true
    }

    /// The bytes, if they are in memory; those of an empty file are.
    var bytes: [UInt8]? {
        switch source {
        case .bytes(let bytes): bytes
        case .file, .pipe: count == 0 ? [] : nil
        }
    }
}
