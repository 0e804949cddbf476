@testable import RestEngine

/// The first byte says what the rest is: a path, a pointer, a patch, or a schema for itself. Those that
/// are valid are applied to a small value, under limits.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJSONTools(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    guard let sort = bytes.first else { return 0 }
    let text = String(decoding: bytes.dropFirst(), as: UTF8.self)
    switch sort % 4 {
    case 0: tryPath(text)
    case 1: tryPointer(text)
    case 2: tryPatch(Array(bytes.dropFirst()))
    default: trySchema(Array(bytes.dropFirst()))
    }
    return 0
}

private let document: Tree = [
    "a": [1, 2.5, "x", ["b": .null]], "b": ["a": true, "é": [[], [:]]], "": "aab",
]

private func tryPath(_ text: String) {
    guard let path = try? JSONPath(text),
        let matches = try? path.matches(
            in: document, withPaths: true, most: 1000, work: WorkLimit(steps: 20_000))
    else { return }
    // A normalized path is a path, and leads to the same value.
    for match in matches.prefix(20) {
        guard let normal = try? JSONPath(match.path),
            let found = try? normal.matches(in: document, work: WorkLimit(steps: 20_000))
        else { fatalError("\(match.path) is no path") }
        precondition(found.count == 1 && found[0].value == match.value)
    }
}

private func tryPointer(_ text: String) {
    guard let pointer = try? JSONPointer(text) else { return }
    precondition(pointer.description == text)
    _ = pointer.value(in: document)
}

private func tryPatch(_ bytes: [UInt8]) {
    guard let tree = try? Tree(json: bytes) else { return }
    if let patched = try? JSONPatch(tree).apply(to: document) { precondition((try? patched.json()) != nil) }
    let merged = MergePatch.apply(tree, to: document, poll: {})
    // Merging the same again changes nothing.
    precondition(MergePatch.apply(tree, to: merged, poll: {}).isSame(as: merged))
}

private func trySchema(_ bytes: [UInt8]) {
    guard let tree = try? Tree(json: bytes) else { return }
    var options = JSONSchema.Options()
    options.checksFormats = true
    guard let schema = try? JSONSchema(tree, options: options) else { return }
    for value in [tree, document] {
        guard let found = try? schema.mismatches(of: value, work: WorkLimit(steps: 20_000)) else { continue }
        precondition(found.count <= 100)
        for mismatch in found { precondition((try? JSONPointer(mismatch.path))?.value(in: value) != nil) }
    }
}
