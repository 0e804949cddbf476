/// How many arguments a function takes, by its signature.
public enum ArgumentCount {
    /// The function, and before it a look at how many arguments there are: more than its signature has would
    /// be ignored, which is never what they were given for. Nils that are too many do no harm. A signature
    /// that is empty, or has `...`, takes any number.
    ///
    /// - Parameters:
    ///   - advice: what to write instead; part of the error's message.
    ///   - signature: As in the reference.
    ///   - function: The function that is checked.
    public static func checked(
        _ function: @escaping HostFunction, _ signature: String, advice: String = ""
    ) -> HostFunction {
        guard let limit = limit(signature) else { return function }
        return { call in
            if call.count > limit { try call.refuseMore(than: limit, advice) }
            return try function(call)
        }
    }

    /// Nil: any number.
    static func limit(_ signature: String) -> Int32? {
        var depth = 0
        var count: Int32 = 0
        var isEmpty = true
        var dots = 0
        for byte in signature.utf8 {
            switch byte {
            case UInt8(ascii: "("), UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 { return isEmpty ? 0 : count + 1 }
            case UInt8(ascii: ",") where depth == 1: count += 1
            case UInt8(ascii: ".") where depth == 1:
                dots += 1
                if dots == 3 { return nil }
            default: break
            }
            if depth >= 1, byte != UInt8(ascii: " "), !(depth == 1 && byte == UInt8(ascii: "(")) {
                isEmpty = false
            }
        }
        return nil
    }
}

extension Arguments {
    fileprivate func refuseMore(than limit: Int32, _ advice: String) throws {
        guard (limit + 1...count).contains(where: { type($0) != .nil }) else { return }
        // A function that reads its first argument says itself that it got the module.
        if limit > 0, isModule(1) { return }
        try requireOwnReceiver()
        let takes = limit == 0 ? "no argument" : limit == 1 ? "one argument" : "\(limit) arguments"
        throw LuaUsageError(
            "'\(box.name)' takes \(takes), but got \(count)" + (advice.isEmpty ? "" : ": \(advice)"))
    }
}
