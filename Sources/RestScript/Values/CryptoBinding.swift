import LuaRuntime
import RestEngine

/// `rest.crypto`.
struct CryptoBinding: ValueBinding {
    unowned let values: ScriptValues

    var bindings: BindingSet { BindingSet(tables: [cryptoModule]) }

    private var cryptoModule: ModuleTable {
        ModuleTable(
            name: "rest.crypto",
            functions: [
                ModuleFunction(
                    "sha256", signature: "(bytes: string) -> string",
                    documentation: "The SHA-256 digest: 32 bytes, which `rest.hex.encode` makes readable."
                ) { call in
                    try pushDigest(HashFunction.sha256.digest(of: try summable(call, 1, "bytes")), call)
                },
                ModuleFunction(
                    "hmac_sha256", signature: "(key: string, bytes: string) -> string",
                    documentation: "HMAC with SHA-256 (RFC 2104): 32 bytes."
                ) { call in
                    let key = try summable(call, 1, "key")
                    return try pushDigest(
                        HashFunction.sha256.authenticationCode(key: key, try summable(call, 2, "bytes")), call
                    )
                },
                ModuleFunction(
                    "digest", signature: "(hash: string, bytes: string) -> string",
                    documentation:
                        "The digest by `md5`, `sha1`, `sha256`, `sha384` or `sha512`. MD5 and SHA-1 are for old protocols only."
                ) { call in
                    let hash = try hash(call)
                    return try pushDigest(hash.digest(of: try summable(call, 2, "bytes")), call)
                },
                ModuleFunction(
                    "hmac", signature: "(hash: string, key: string, bytes: string) -> string",
                    documentation: "HMAC (RFC 2104) with one of the same hashes."
                ) { call in
                    let hash = try hash(call)
                    let key = try summable(call, 2, "key")
                    return try pushDigest(
                        hash.authenticationCode(key: key, try summable(call, 3, "bytes")), call)
                },
                ModuleFunction(
                    "sign", signature: "(algorithm: string, key: string, bytes: string) -> string",
                    documentation:
                        "Signs with a private key in PEM. The algorithms are those of JSON Web Tokens: `RS256`, `PS256`, `ES256`, "
                        + "their forms with 384 and 512, and `EdDSA`."
                ) { call in
                    let algorithm = try algorithm(call)
                    let key = try pemKey(call)
                    let bytes = try summable(call, 3, "bytes")
                    let signature: [UInt8]?
                    do { signature = try algorithm.sign(bytes, key: key) } catch {
                        throw call.bad(2, "key", "\(algorithm.rawValue) takes \(algorithm.key), in PEM")
                    }
                    return try pushDigest(signature, call)
                },
                ModuleFunction(
                    "verify",
                    signature:
                        "(algorithm: string, key: string, bytes: string, signature: string) -> boolean",
                    documentation: "Whether a signature is valid, by a public key or a certificate in PEM."
                ) { call in
                    let algorithm = try algorithm(call)
                    let key = try pemKey(call)
                    let bytes = try summable(call, 3, "bytes")
                    let signature = try summable(call, 4, "signature")
                    do {
                        call.lua.push(try algorithm.isValid(signature, of: bytes, key: key))
                    } catch {
                        throw call.bad(2, "key", "\(algorithm.rawValue) takes \(algorithm.key), in PEM")
                    }
                    return .one
                },
                ModuleFunction(
                    "random_bytes", signature: "(count: integer) -> string",
                    documentation: "Cryptographically random bytes, 1 to 65,536 of them."
                ) { call in
                    let count = try call.integer(1, "count")
                    guard (1...65_536).contains(count) else { throw call.bad(1, "count", "1 to 65536") }
                    return try pushDigest(Crypto.randomBytes(Int(count)), call)
                },
                ModuleFunction(
                    "uuid", signature: "() -> string",
                    documentation: "A random UUID (RFC 9562, version 4) in lower case."
                ) { call in
                    call.lua.push(IdempotencyKey.random())
                    return .one
                },
                ModuleFunction(
                    "constant_time_equal", signature: "(a: string, b: string) -> boolean",
                    documentation:
                        "Compares secrets, such as signatures, in a time that does not depend on where they differ."
                ) { call in
                    call.lua.push(Crypto.isEqual(try summable(call, 1, "a"), try summable(call, 2, "b")))
                    return .one
                },
            ])
    }
}

private func hash(_ call: Arguments) throws -> HashFunction {
    let name = try call.string(1, "hash")
    switch name {
    case "md5": return .md5
    case "sha1": return .sha1
    case "sha256": return .sha256
    case "sha384": return .sha384
    case "sha512": return .sha512
    default: throw call.bad(1, "hash", "it is md5, sha1, sha256, sha384 or sha512")
    }
}

/// A key as text. Its limit is far above those of keys.
private func pemKey(_ call: Arguments) throws -> [UInt8] {
    let key = try call.rawBytes(2, "key")
    guard key.count <= 64 << 10 else { throw call.bad(2, "key", "64 KiB at most") }
    return key
}

private func algorithm(_ call: Arguments) throws -> SignatureAlgorithm {
    guard let algorithm = SignatureAlgorithm(rawValue: try call.string(1, "algorithm")) else {
        let known = SignatureAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
        throw call.bad(1, "algorithm", "there are \(known)")
    }
    return algorithm
}

/// `rest.hex`.
struct HexBinding: ValueBinding {
    unowned let values: ScriptValues

    var bindings: BindingSet { BindingSet(tables: [hexModule]) }

    private var hexModule: ModuleTable {
        ModuleTable(
            name: "rest.hex",
            functions: [
                ModuleFunction(
                    "encode", signature: "(bytes: string) -> string",
                    documentation: "Two hexadecimal digits for each byte, in lower case."
                ) { call in
                    call.lua.push(Hex.encode(try summable(call, 1, "bytes")))
                    return .one
                },
                ModuleFunction(
                    "decode", signature: "(text: string) -> string | nil, message",
                    documentation: "The bytes that pairs of hexadecimal digits stand for, in either case."
                ) { call in
                    let text = try call.rawBytes(1, "text")
                    if let bytes = Hex.decode(text) {
                        call.lua.push(bytes: bytes)
                        return .one
                    }
                    call.lua.pushNil()
                    call.lua.push("not pairs of hexadecimal digits")
                    return .results(2)
                },
            ])
    }
}

private let maxBytes = 64 << 20

/// Limits the bytes of one call, because a script's time limit can't interrupt code outside of Lua.
private func summable(_ call: Arguments, _ index: Int32, _ name: String) throws -> [UInt8] {
    let bytes = try call.rawBytes(index, name)
    guard bytes.count <= maxBytes else {
        throw call.bad(index, name, "\(maxBytes >> 20) MiB at most in one call")
    }
    return bytes
}

private func pushDigest(_ bytes: [UInt8]?, _ call: Arguments) throws -> CallResult {
    guard let bytes else { throw LuaUsageError("this machine's libcrypto refuses") }
    call.lua.push(bytes: bytes)
    return .one
}
