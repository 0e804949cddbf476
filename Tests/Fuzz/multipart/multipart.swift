/// Reads arbitrary bytes as a `multipart/form-data` body with the boundary `x`. Parts may not overlap, and
/// have the limits of the reader.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(unsafe UnsafeBufferPointer(start: data, count: count))
    guard var reader = try? MultipartReader(bytes, boundary: "x") else {
        preconditionFailure("a good boundary")
    }
    var end = 0
    var parts = 0
    while let part = try? reader.next() {
        precondition(part.body.lowerBound >= end && part.body.upperBound <= bytes.count)
        precondition(part.filename.map { !$0.contains("/") && !$0.contains("\\") } ?? true)
        end = part.body.upperBound
        parts += 1
        precondition(parts <= MultipartReader.mostParts)
    }
    precondition((try? reader.next()) == .some(nil))
    return 0
}
