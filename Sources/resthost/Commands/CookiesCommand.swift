import ArgumentParser
import Platform
import RestEngine
import RestScript
import SQLiteCache

/// Lists and removes cookies that servers have set.
struct CookiesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cookies",
        abstract: "List or wipe the cookies that services keep in a file.",
        discussion: """
            FILE is the path in transport = { cookies = { path = "FILE" } }. Values are shown as ***. Cookies without an \
            expiry are in no file: they last as long as the process. A running host has its cookies in memory, so it still \
            sends a wiped cookie until it is started again.

            Exits with 1 when there was nothing to wipe.

            Examples:
              resthost cookies cookies.db
              resthost cookies cookies.db --service github --json
              resthost cookies cookies.db --wipe --domain example.com
              resthost cookies cookies.db --wipe
            """)

    @Argument(help: ArgumentHelp("The file with the cookies.", valueName: "file"), completion: .file())
    var file: String

    @Option(help: ArgumentHelp("Only the cookies of this service.", valueName: "name"))
    var service: String?

    @Option(
        help: ArgumentHelp(
            "Only the cookies of this domain, and of the domains below it.", valueName: "domain"))
    var domain: String?

    @Flag(help: "Remove the cookies.")
    var wipe = false

    @Flag(help: "Print the cookies as one JSON object in each line.")
    var json = false

    @Flag(help: "Show the values.")
    var withSecrets = false

    func run() throws {
        let code = MainThread.wait { @EngineActor in await work() }
        throw ExitCode(code)
    }

    private typealias Entry = (key: String, service: String, cookie: Cookie)

    @EngineActor
    private func work() async -> Int32 {
        guard access(file, F_OK) == 0 else {
            Streams.error(Complaint.text("there is no file '\(file)'"))
            return 2
        }
        do {
            let (store, rows) = try SQLiteStore.open(file) { Streams.error($0 + "\n") }
            let entries = rows.compactMap { row -> Entry? in
                CookieFile.entry(row.key, row.value).map { (row.key, $0.service, $0.cookie) }
            }.filter(isMeant).sorted {
                ($0.service, $0.cookie.domain, $0.key) < ($1.service, $1.cookie.domain, $1.key)
            }
            guard wipe else {
                show(entries)
                return 0
            }
            for entry in entries { store.record(nil, for: entry.key) }
            let failure = await withCheckedContinuation { continuation in
                store.whenWritten { continuation.resume(returning: $0) }
            }
            if let failure {
                Streams.error(Complaint.text("nothing was wiped: \(failure)"))
                return 1
            }
            Streams.output("wiped \(entries.count) \(entries.count == 1 ? "cookie" : "cookies")\n")
            return entries.isEmpty ? 1 : 0
        } catch {
            Streams.error(Complaint.text("\(error)"))
            return 2
        }
    }

    private func isMeant(_ entry: Entry) -> Bool {
        if let service, entry.service != service { return false }
        guard let domain = domain?.lowercased() else { return true }
        return entry.cookie.domain == domain || entry.cookie.domain.hasSuffix("." + domain)
    }

    private func show(_ entries: [Entry]) {
        if json {
            for entry in entries {
                var cookie = entry.cookie
                if !withSecrets { cookie.value = SecretMask.text }
                let pairs: [(String, Tree)] = [("service", Tree(entry.service)), ("cookie", cookie.tree)]
                write(Tree(pairs: pairs).description + "\n")
            }
            return
        }
        let rows = entries.map { entry in
            let cookie = entry.cookie
            let value = withSecrets ? VisibleText.inline(cookie.value) : SecretMask.text
            let marks = [
                cookie.isHostOnly ? "host only" : nil, cookie.isSecure ? "secure" : nil,
                cookie.isHTTPOnly ? "http only" : nil,
            ]
            return [
                VisibleText.inline(entry.service), VisibleText.inline(cookie.domain),
                VisibleText.inline(cookie.path), "\(VisibleText.inline(cookie.name))=\(value)",
                cookie.expiresAt.flatMap { InternetTime.text($0) } ?? "",
                marks.compactMap { $0 }.joined(separator: ", "),
            ]
        }
        write(TextColumns.text(rows))
    }

    private func write(_ text: String) {
        if withSecrets { Streams.output(content: Array(text.utf8)) } else { Streams.output(text) }
    }
}
