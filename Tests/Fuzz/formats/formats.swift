@testable import RestEngine

/// Reads arbitrary bytes as one of the formats, by the first byte. A value that was read is written and read
/// again: it must be the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let all = Array(unsafe UnsafeBufferPointer(start: data, count: count))
    guard let first = all.first else { return 0 }
    let bytes = Array(all.dropFirst())
    switch first % 8 {
    case 0:
        same(bytes, { bytes throws(FormatError) in try YAML.decode(bytes) }) { tree throws(FormatError) in
            try YAML.encode(tree)
        }
    case 1:
        var options = XML.Options()
        options.mixed = true
        same(bytes, { bytes throws(FormatError) in try XML.decode(bytes, options) }) {
            tree throws(FormatError) in
            try XML.encode(tree)
        }
    case 2:
        var options = CSV.Options()
        (options.header, options.rowBytes) = (.none, 1000)
        same(bytes, { bytes throws(FormatError) in try CSV.decode(bytes, options) }) {
            tree throws(FormatError) in
            try CSV.encode(tree)
        }
    case 3: same(bytes, .messagePack)
    case 4: same(bytes, .cbor)
    case 5: inPieces(bytes)
    case 6: _ = try? XMLPath(String(decoding: bytes, as: UTF8.self), namespaces: ["a": "urn:a"])
    default:
        var options = YAML.Options()
        options.documents = true
        _ = try? YAML.decode(bytes, options)
        _ = try? XML.decode(bytes)
    }
    return 0
}

private func same(
    _ bytes: [UInt8], _ decode: ([UInt8]) throws(FormatError) -> Tree,
    _ encode: (Tree) throws(FormatError) -> [UInt8]
) {
    guard let tree = try? decode(bytes) else { return }
    precondition(Tree(checking: tree.encoded) != nil, "no tree")
    do throws(FormatError) {
        let text = try encode(tree)
        let again = try decode(text)
        precondition(again == tree, "not the same")
    } catch {
        preconditionFailure("\(error)")
    }
}

private func same(_ bytes: [UInt8], _ format: BinaryFormat) {
    same(bytes, { bytes throws(FormatError) in try format.decode(bytes) }) { tree throws(FormatError) in
        try format.encode(tree)
    }
}

/// A table is the same as a whole and in pieces.
private func inPieces(_ bytes: [UInt8]) {
    var options = CSV.Options()
    (options.ragged, options.types) = (true, ["1": .number, "2": .boolean])
    let whole = try? CSV.decode(bytes, options)
    let reader = CSVReader(options)
    var builder = Tree.Builder()
    builder.beginArray()
    do throws(FormatError) {
        for piece in stride(from: 0, to: bytes.count, by: 3) {
            try reader.read(Array(bytes[piece..<min(piece + 3, bytes.count)]), into: &builder)
        }
        try reader.finish(into: &builder)
    } catch {
        precondition(whole == nil, "\(error)")
        return
    }
    builder.end()
    precondition(builder.finish() == whole)
    let lines = JSONLinesReader(JSONLinesReader.Options())
    var values = Tree.Builder()
    values.beginArray()
    try? lines.read(bytes, into: &values)
    try? lines.finish(into: &values)
}
