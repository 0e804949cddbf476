extension InspectorScript {
    /// The host itself: generations and what changed, services, memory, limits.
    static let host = #"""
        // A # is for numbers, a ~ for what a narrow page leaves out.
        const kindOf = (head) => (head.includes("#") ? "num " : "") + (head.includes("~") ? "wide" : "");
        const table = (heads, rows) => make("table", {}, make("tr", {}, ...heads.map((head) => make("th", { class: kindOf(head) }, head.replace(/[#~]/g, "")))),
          ...rows.map((row) => make("tr", {}, ...row.map((data, at) => make("td", { class: kindOf(heads[at]) }, data ?? "")))));

        function drawHost() {
          const status = store.status, node = find("#host");
          if (!status) return node.replaceChildren(make("p", { class: "dim" }, "…"));
          const card = (name, text) => make("div", { class: "card" }, make("span", {}, name), make("b", {}, text));
          const generation = status.generation;
          const reloads = store.reloads.map((event) => [words.time(event.time), String(event.generation), event.trigger,
            event.error ? make("span", { class: "bad" }, event.error) : event.modules ? "modules: " + event.modules.join(", ") : "the script"]);
          const scroll = node.scrollTop;
          node.replaceChildren(
            make("div", { class: "cards" }, card("Up", words.seconds(status.uptime)), card("Generation", String(generation.number)),
              card("Finishing", String(generation.retiring)), card("Connections", words.count(status.gateway.connections)),
              card("Requests", words.count(status.requests)), card("Jobs", words.count(status.jobs)),
              card("Lua", words.bytes(status.memory.lua)), card("Content", words.bytes(status.memory.content))),
            ...status.warnings.map((text) => make("p", { class: "warn" }, text)),
            ...(status.last_failure ? [make("h3", { class: "bad" }, "The last reload failed; the generation before it goes on"), ...failureView(status.last_failure)] : []),
            make("h3", {}, "Services"),
            table(["Name", "~Base URL", "#Resources", "~#Content", ""], status.services.map((service) => [service.name, make("span", { class: "mono" }, service.base_url ?? "absolute URLs only"),
              words.count(service.resources), words.bytes(service.content), make("span", { class: "acts" },
                make("button", { onclick: () => command(`invalidate?service=${encodeURIComponent(service.name)}`,
                  `Run the configuration blocks of ${service.name} again when they are next needed?`, "Invalidate", () => "invalidated") }, "Invalidate"),
                make("button", { class: "do", onclick: () => command(`wipe?service=${encodeURIComponent(service.name)}`,
                  `Wipe all resources of ${service.name}? Their data goes, in the caches too.`, "Wipe", (said) => `${said.resources} wiped`) }, "Wipe"))])),
            make("h3", {}, "Generations"),
            table(["Time", "#Number", "Why", "What changed"], [...reloads,
              [words.time(Date.now() / 1000 - generation.age), String(generation.number), generation.trigger, "runs now"]]),
            ...(status.limits.length ? [make("h3", {}, "Limits"), table(["Name", "#In flight", "#Waiting", "#A second", "Paused"], status.limits.map((limit) =>
              [limit.name, limit.in_flight + (limit.most_in_flight ? " of " + limit.most_in_flight : ""), String(limit.waiting), limit.rate === null ? "" : limit.rate.toFixed(2),
                limit.paused > 0 ? words.seconds(limit.paused) : ""]))] : []),
            ...(status.breakers.length ? [make("h3", {}, "Circuits"), table(["Origin", "State", "Open for"], status.breakers.map((breaker) =>
              [breaker.origin, breaker.state, breaker.open > 0 ? words.seconds(breaker.open) : ""]))] : []),
            make("h3", {}, "Process"),
            facts(["Version", status.version], ["Process", String(status.pid)], ["Script", status.script], ["Folder", status.folder],
              ["Listening", status.gateway.listening.join(", ")], ["Admin socket", status.admin]));
          node.scrollTop = scroll;
        }

        """#

    /// Puts it together.
    static let start = #"""
        const list = new VirtualList(find("#list"), find("#space"));
        let view = "resources", filters = {}, pickedKeys = {};

        function open(name) {
          view = name;
          for (const tab of document.querySelectorAll("nav button")) {
            const isThis = tab.dataset.view === name;
            tab.setAttribute("aria-selected", String(isThis)); tab.tabIndex = isThis ? 0 : -1;
          }
          find("#side").hidden = name === "host";
          find("#host").hidden = name !== "host";
          find("#filter").value = filters[name] ?? "";
          find("#pause").hidden = name === "resources";
          find("#detail").replaceChildren(); shown = null;
          if (name === "host") refreshStatus(); else draw(true);
          drawHost();
        }

        function draw(isReset = false) {
          if (view === "host") return drawHost();
          const kind = views[view];
          const service = find("#service").value, wanted = (filters[view] ?? "").toLowerCase();
          let items = kind.items();
          if (service) items = items.filter((item) => item.service === service);
          if (wanted) items = items.filter((item) => kind.text(item).toLowerCase().includes(wanted));
          const columns = narrow.matches ? kind.narrow : kind.columns;
          find("#side").style.setProperty("--columns", columns.join(" "));
          const hidden = kind.heads.length - columns.length;
          find("#heads").replaceChildren(...kind.heads.map((head) => make("span", { class: ["Age", "Time"].includes(head) ? "num" : "" }, head))
            .filter((_, at) => !hidden || !isHiddenWhenNarrow(view, at)));
          find("#heads").style.paddingRight = `${list.node.offsetWidth - list.node.clientWidth + (narrow.matches ? 12 : 16)}px`;
          list.key = kind.key;
          list.show(items, kind.draw, pickedKeys[view], isReset);
          find("#empty").textContent = items.length ? "" : wanted || service ? "Nothing fits the filter." : kind.empty;
        }

        const isHiddenWhenNarrow = (name, at) => ({ resources: [3], requests: [0, 4], errors: [1], log: [1] })[name].includes(at);

        list.pick = (item, opens_) => { pickedKeys[view] = views[view].key(item); if (opens_) opens[view](item); };

        function tick() {
          for (const tab of document.querySelectorAll("nav button")) {
            const count = { resources: store.resources.size, requests: store.requests.size, errors: store.errors.length, log: store.log.length }[tab.dataset.view];
            find("i", tab).textContent = count ? words.count(count) : "";
            if (tab.dataset.view === "errors") find("i", tab).className = count ? "bad" : "";
          }
          const status = store.status;
          if (status) {
            find("#name").textContent = "resthost " + status.version;
            find("#facts").textContent = `${status.script} · generation ${status.generation.number} · up ${words.seconds(status.uptime)}`;
            const select = find("#service"), names = store.services.join("\n");
            if (select.dataset.names !== names) {
              select.dataset.names = names;
              const before = select.value;
              select.replaceChildren(make("option", { value: "" }, "All services"), ...store.services.map((name) => make("option", { value: name }, name)));
              select.value = store.services.includes(before) ? before : "";
            }
          }
          const rest = Math.max(2000, store.resources.size);
          if (missing && Date.now() - refreshedAt > rest) refreshResources();
          else if (Date.now() - refreshedAt > 30000) refreshResources();
          if (isPaused && view !== "resources" && view !== "host") return;
          if (changed.has(view) || ageTicks++ % 8 === 0 && view === "resources") { changed.delete(view); draw(); }
        }
        let ageTicks = 0;

        find("nav").addEventListener("click", (event) => { const tab = event.target.closest("button"); if (tab) open(tab.dataset.view); });
        find("#filter").addEventListener("input", (event) => { filters[view] = event.target.value; draw(true); });
        find("#service").addEventListener("change", () => draw(true));
        find("#pause input").addEventListener("change", (event) => { isPaused = event.target.checked; });
        const reload = () => command("reload", "Load the script anew? What runs goes on if it is no good.", "Reload", (said) => `generation ${said.generation} runs`);
        find("#reload").addEventListener("click", reload);
        narrow.addEventListener("change", () => draw(true));
        document.addEventListener("keydown", (event) => {
          if (event.ctrlKey || event.metaKey || event.altKey || find("#ask").open) return;
          if (event.key === "Escape") { if (event.target.id === "filter") find("#list").focus(); else if (find("#detail").childElementCount) closeDetail(); return; }
          if (["INPUT", "SELECT"].includes(event.target.tagName)) return;
          const names = Object.keys(views).concat("host");
          const tab = event.target.closest("nav");
          if (tab && (event.key === "ArrowRight" || event.key === "ArrowLeft")) {
            open(names[(names.indexOf(view) + (event.key === "ArrowRight" ? 1 : names.length - 1)) % names.length]);
            find(`nav [data-view=${view}]`).focus();
          } else if (names[event.key - 1]) open(names[event.key - 1]);
          else if (event.key === "/" && view !== "host") { find("#filter").focus(); event.preventDefault(); }
          else if (event.key === "r") reload();
        });
        open("resources");
        setInterval(tick, 250);
        setInterval(() => { if (!document.hidden) refreshStatus(); }, 5000);
        follow();

        """#
}
