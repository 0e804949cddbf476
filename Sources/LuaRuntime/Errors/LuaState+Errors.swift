import CLua
import Platform

extension LuaState {
    /// Pushes the value by which scripts know `error`.
    func present(_ error: any Error, on lua: Lua) {
        if let error = error as? LuaUsageError { return lua.push(error.message) }
        if let error = error as? LuaError {
            if let value = error.value, value.home === home { return lua.push(value) }
            if let cause = error.cause { return present(cause, on: lua) }
            // An error of another state: its file is to be known in the message.
            if let file = error.file { noteChunk(file) }
            return lua.push(error.description)
        }
        lua.checkStack(6)
        let isPresented = errorPresenter?(error, lua) ?? false
        clua_push_error(lua.raw, Unmanaged.passRetained(ErrorBox(error)).toOpaque())
        if isPresented { clua_link_error(lua.raw) }
    }

    /// Takes the value of a failed call off the stack.
    func takeError(_ status: Int32, from lua: Lua) -> LuaError {
        defer { lua.pop() }
        var traceback: UnsafeMutablePointer<CChar>?
        var source: UnsafeMutablePointer<CChar>?
        var line: Int32 = 0
        var isDeliberate = false
        clua_take_failure(core, &traceback, &source, &line, &isDeliberate)
        defer {
            free(traceback)
            free(source)
        }
        var excess = clua_excess()
        let isExpired = clua_expired(core, &excess)
        let file = source.map { path(ofChunk: String(cString: $0)) }
        let text = lua.withBytes(-1) { Self.bounded($0) }
        let cause = text == nil ? lua.error(-1) : nil
        var place: Place
        if let text {
            place = split(text, file: file, line: Int(line))
        } else {
            let message = cause.map { "\($0)" } ?? readable(lua)
            place = Place(file: file, line: line > 0 ? Int(line) : nil, message: message)
        }
        let kind = kind(status, place.message, isExpired, hasCause: cause != nil)
        let exceeded = exceeded(kind, excess)
        if kind == .memory { place.message = shortageMessage }
        return LuaError(
            kind: kind, message: place.message, file: place.file, line: place.line,
            traceback: traceback.map { tidy(String(cString: $0)) } ?? "", cause: cause,
            value: text == nil ? lua.reference(-1) : nil, exceeded: exceeded, isDeliberate: isDeliberate)
    }

    private func kind(_ status: Int32, _ message: String, _ isExpired: Bool, hasCause: Bool) -> LuaError.Kind
    {
        if status == LUA_ERRSYNTAX { return .syntax }
        if status == LUA_ERRMEM || message.hasPrefix("not enough memory") { return .memory }
        if isExpired { return .budget }
        if hasCause { return .host }
        return !waitRefusal.isEmpty && message == waitRefusal ? .wait : .runtime
    }

    private func exceeded(_ kind: LuaError.Kind, _ excess: clua_excess) -> ExceededLimit? {
        switch kind {
        case .budget: ExceededLimit(excess)
        case .memory:
            if let given = shortage.given {
                ExceededLimit(budget: .memory, phase: "", used: Double(given), limit: Double(shortage.takes))
            } else {
                ExceededLimit(
                    budget: .memory, phase: "", used: Double(shortage.held),
                    limit: Double(options.memoryLimit))
            }
        default: nil
        }
    }

    /// What was held and what was asked for when memory was refused; or what was given to the host, and how much that
    /// takes.
    private var shortage: (held: Int, asked: Int, given: Int?, takes: Int) {
        var (held, asked, given, takes) = (0, 0, 0, 0)
        clua_shortage(core, &held, &asked, &given, &takes)
        return (held, asked, given > 0 ? given : nil, takes)
    }

    private var shortageMessage: String {
        let (held, asked, given, takes) = shortage
        if let given {
            return
                "not enough memory: the script gave the host \(ByteCount.text(given)) in one go, which takes "
                + "\(ByteCount.text(takes)) at most: give it less at a time"
        }
        // A script may raise these words by itself.
        guard held > 0 else { return "not enough memory" }
        let more = asked >= 1 << 20 ? ", asked for \(ByteCount.text(asked)) more" : ""
        let advice = options.memoryAdvice.isEmpty ? "" : ": \(options.memoryAdvice)"
        return "not enough memory: the script holds \(ByteCount.text(held))\(more)"
            + " and may hold \(ByteCount.text(options.memoryLimit))\(advice)"
    }

    /// As it would be printed; a value whose `__tostring` fails is named by its type.
    private func readable(_ lua: Lua) -> String {
        do {
            var text = try lua.printed(-1)
            return text.withUTF8 { Self.bounded(UnsafeRawBufferPointer($0)) }
        } catch { return "(error object is a \(lua.typeName(-1)) value)" }
    }

    /// A message goes into logs and answers: the beginning of a very long one will do.
    private static func bounded(_ bytes: UnsafeRawBufferPointer) -> String {
        let limit = 8 << 10
        guard bytes.count > limit else { return String(decoding: bytes, as: UTF8.self) }
        let start = String(decoding: UnsafeRawBufferPointer(rebasing: bytes[..<limit]), as: UTF8.self)
        return "\(start)… (\(ByteCount.text(bytes.count)) in all)"
    }
}
