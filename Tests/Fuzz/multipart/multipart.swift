/// Reads arbitrary bytes as a `multipart/form-data` body with the boundary `x`, at once and in pieces whose
/// length is the first byte. Both must find the same parts, within the limits of the reader.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(unsafe UnsafeBufferPointer(start: data, count: count))
    let body = bytes.dropFirst()
    precondition(found(in: body, pieces: .max) == found(in: body, pieces: Int(bytes.first ?? 0) + 1))
    return 0
}

private struct Found: Equatable {
    var parts: [MultipartReader.Part] = []
    var contents: [[UInt8]] = []
    var fault: String?
}

private func found(in body: ArraySlice<UInt8>, pieces: Int) -> Found {
    guard var reader = try? MultipartReader(boundary: "x") else { preconditionFailure("a good boundary") }
    var (rest, found, bytes) = (body, Found(), 0)
    do throws(MultipartReader.Fault) {
        while true {
            switch try reader.next() {
            case .part(let part):
                precondition(part.filename.map { !$0.contains("/") && !$0.contains("\\") } ?? true)
                found.parts.append(part)
                found.contents.append([])
                precondition(found.parts.count <= MultipartReader.mostParts)
            case .content(let content):
                precondition(!content.isEmpty)
                found.contents[found.contents.count - 1] += content
                bytes += content.count
                precondition(bytes <= body.count)
            case .endOfPart: break
            case .end: return found
            case .nothing:
                let next = rest.prefix(pieces)
                rest = rest.dropFirst(next.count)
                next.isEmpty ? reader.finish() : reader.add(Array(next))
            }
        }
    } catch { found.fault = error.message }
    precondition((try? reader.next()) == .some(.end))
    return found
}
