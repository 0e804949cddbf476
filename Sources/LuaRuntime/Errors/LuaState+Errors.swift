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
        var located: LocatedMessage
        if let text {
            located = split(text, file: file, line: Int(line))
        } else {
            let message = cause.map { "\($0)" } ?? readable(lua)
            located = LocatedMessage(file: file, line: line > 0 ? Int(line) : nil, message: message)
        }
        let kind = kind(status, located.message, isExpired, hasCause: cause != nil)
        let exceeded = exceeded(kind, excess)
        if kind == .memory { located.message = shortageMessage }
        return LuaError(
            kind: kind, message: located.message, file: located.file, line: located.line,
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

    /// The bytes held and asked for when memory was refused; or the bytes given to the host, and its limit.
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

extension LuaState {
    /// "@path" as the path; other names as Lua shows them.
    func path(ofChunk name: String) -> String {
        name.hasPrefix("@") || name.hasPrefix("=") ? String(name.dropFirst()) : name
    }

    /// Takes "file:line: " off a message when the file is one of ours: a message may well begin with
    /// "host:80: ".
    func split(_ text: String, file: String?, line: Int) -> LocatedMessage {
        let fallback = LocatedMessage(file: file, line: line > 0 ? line : nil, message: text)
        var search = text.startIndex
        while let colon = text[search...].firstIndex(of: ":") {
            let afterColon = text.index(after: colon)
            search = afterColon
            let digits = text[afterColon...].prefix { $0.isASCII && $0.isNumber }
            guard let number = Int(digits), text[digits.endIndex...].hasPrefix(": ") else { continue }
            let name = String(text[..<colon])
            let isChunk = name.hasPrefix("[string \"") || name == file
            guard let path = chunkPaths[name] ?? (isChunk ? name : nil) else { continue }
            let rest = text.index(digits.endIndex, offsetBy: 2)
            return LocatedMessage(file: path, line: number, message: String(text[rest...]))
        }
        return fallback
    }

    /// Drops the heading and the C frames below the script's outermost function.
    func tidy(_ traceback: String) -> String {
        var lines = traceback.split(separator: "\n", omittingEmptySubsequences: true)
        if lines.first == "stack traceback:" { lines.removeFirst() }
        while lines.last?.hasPrefix("\t[C]: in ?") == true { lines.removeLast() }
        return lines.map { $0.drop { $0 == "\t" } }.joined(separator: "\n")
    }
}

/// A message and the line of a script that stood before it.
struct LocatedMessage {
    var file: String?
    var line: Int?
    var message: String
}
