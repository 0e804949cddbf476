/// The page at `/-/` of a listener for admins (rules 66): no build, no files, nothing from elsewhere.
enum InspectorPage {
    /// Nothing but what comes from here runs or is shown, and no other page can put it into a frame.
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    static let page = reply(html, "text/html; charset=utf-8")
    static let script = reply(
        InspectorScript.base + InspectorScript.list + InspectorScript.views + InspectorScript.details
            + InspectorScript.host + InspectorScript.start, "text/javascript; charset=utf-8")
    static let style = reply(InspectorStyle.text, "text/css; charset=utf-8")

    private static func reply(_ text: String, _ type: String) -> Reply {
        var reply = Reply(200, text: text, type: type)
        reply.fields += [
            ("Content-Security-Policy", policy), ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
        ]
        return reply
    }

    private static let html = """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>resthost</title>
        <link rel="icon" href="data:,">
        <link rel="stylesheet" href="inspector.css">
        <script src="inspector.js" defer></script>
        </head>
        <body>
        <header>
          <strong id="name">resthost</strong>
          <span id="facts"></span>
          <span id="link" role="status" aria-live="polite">connecting</span>
          <button id="reload" title="Load the script anew (r)">Reload</button>
        </header>
        <nav role="tablist" aria-label="Views">
          <button role="tab" data-view="resources" title="1">Resources <i></i></button>
          <button role="tab" data-view="requests" title="2">Requests <i></i></button>
          <button role="tab" data-view="errors" title="3">Errors <i></i></button>
          <button role="tab" data-view="log" title="4">Log <i></i></button>
          <button role="tab" data-view="host" title="5">Host <i></i></button>
        </nav>
        <main>
          <section id="side" aria-label="List">
            <div id="bar">
              <input id="filter" type="search" placeholder="Filter (/)" aria-label="Filter" spellcheck="false" autocomplete="off">
              <select id="service" aria-label="Service"><option value="">All services</option></select>
              <label id="pause"><input type="checkbox"> Pause</label>
            </div>
            <div id="heads" aria-hidden="true"></div>
            <div id="list" role="listbox" tabindex="0" aria-label="Rows"><div id="space"></div></div>
            <p id="empty"></p>
          </section>
          <section id="host" hidden aria-label="Host"></section>
          <aside id="detail" aria-label="Detail" tabindex="-1"></aside>
        </main>
        <dialog id="ask"><form method="dialog"><p></p><menu>
          <button value="" autofocus>Cancel</button><button value="yes" class="do">OK</button>
        </menu></form></dialog>
        <div id="toast" role="alert" hidden></div>
        </body>
        </html>

        """
}
