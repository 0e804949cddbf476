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
                    return try pushDigest(Crypto.hmacSHA256(key: key, try summable(call, 2, "bytes")), call)
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
