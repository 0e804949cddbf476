@testable import RestEngine

/// Reads any text as a token, as its claims and as a set of keys. A text that is
/// taken must keep to the rules.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTokens(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    let rules = TokenRules(
        issuer: "i", audiences: ["a"], algorithms: Set(SignatureAlgorithm.allCases), clockSkew: 0,
        required: [.present("x"), .value("scope", "read")])
    if let keys = try? JSONWebKeySet(bytes) {
        precondition(!keys.keys.isEmpty && keys.keys.count <= JSONWebKeySet.mostKeys)
        for key in keys.keys {
            precondition(!key.algorithms.isEmpty)
            for algorithm in key.algorithms { precondition(!key.verifies([], of: bytes, algorithm)) }
        }
    }
    if let token = try? JSONWebToken(bytes) {
        precondition(bytes.count <= JSONWebToken.mostBytes && token.claims.kind == .object)
        _ = try? rules.algorithm(of: token)
        if let holder = try? rules.check(token.claims, now: 1) {
            precondition(!holder.name.isEmpty && holder.end > 1)
        }
    }
    // The claims alone, without the encoding that a fuzzer rarely gets right.
    if let claims = Tree(strictJSON: bytes, limits: Tree.Limits(depth: 16, bytes: 64 << 10)) {
        if let holder = try? rules.check(claims, now: 1) {
            precondition(!holder.name.isEmpty && holder.end > 1)
        }
    }
    return 0
}
