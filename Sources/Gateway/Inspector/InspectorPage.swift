import CInspector

/// The page at `/-/` of a listener for admins (rules 66). It loads nothing from other servers.
enum InspectorPage {
    /// Only code and content from this server may run or be shown, and no other page may put this one into a
    /// frame.
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    static let page = reply(cinspector_page(), "text/html; charset=utf-8")
    static let script = reply(cinspector_script(), "text/javascript; charset=utf-8")
    static let style = reply(cinspector_style(), "text/css; charset=utf-8")

    private static func reply(_ file: cinspector_file, _ type: String) -> Reply {
        let bytes = UnsafeBufferPointer(start: file.bytes, count: file.count)
        var reply = Reply(200, text: String(decoding: bytes, as: UTF8.self), type: type)
        reply.fields += [
            ("Content-Security-Policy", policy), ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
        ]
        return reply
    }
}
