// The host's own page: load, generations and changes, services, limits.
// A # marks columns of numbers, a ~ columns that a narrow page leaves out.
const kindOf = (head) => (head.includes("#") ? "num " : "") + (head.includes("~") ? "wide" : "");
const table = (title, heads, rows) => [make("h3", {}, title), make("table", { "aria-label": title },
  make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col", class: kindOf(head) }, head.replace(/[#~]/g, ""))))),
  make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map((data, at) =>
    make(at ? "td" : "th", { scope: at ? undefined : "row", class: kindOf(heads[at]) }, data ?? ""))))))];

const card = (name, text, more, values) => make("div", { class: "card" }, make("span", {}, name), make("b", {}, text),
  more ? make("span", {}, more) : null, values ? spark(values) : null);

// The latest values as a line, the newest at the right.
function spark(values) {
  const known = values.filter((value) => value !== undefined);
  if (known.length < 2) return null;
  const most = Math.max(...known, 1e-9), drawing = find("#line").content.firstElementChild.cloneNode(true);
  drawing.firstElementChild.setAttribute("points", known.map((value, at) => `${100 - (known.length - 1 - at) * 100 / (Math.max(known.length, 24) - 1)},${19 - value / most * 17}`).join(" "));
  return drawing;
}

// CPU time between two looks as a share of one processor.
const busy = () => store.loads.slice(0, -1).map((load, at) => {
  const before = store.loads[at + 1];
  return load.cpu === undefined ? undefined : Math.max(0, (load.cpu - before.cpu) / Math.max(load.time - before.time, 0.1));
}).reverse();

function loadCards(status) {
  const shares = busy(), share = shares.at(-1), memory = status.memory, processors = status.threads?.processors;
  const evicted = store.loads[0]?.evicted ?? 0, oldest = store.loads.at(-1), minutes = words.seconds((store.loads[0]?.time ?? 0) - (oldest?.time ?? 0));
  return [
    card("CPU", share === undefined ? "…" : `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`, `of one processor${processors ? `; there are ${processors}` : ""}`, shares),
    card("CPU since the start", status.cpu?.process === undefined ? "unknown" : words.seconds(status.cpu.process), `Lua ${words.seconds((status.cpu?.lua ?? 0) + (status.cpu?.modules ?? 0))}`),
    card("Memory", memory.resident === undefined ? "unknown" : words.bytes(memory.resident), memory.available ? `of ${words.bytes(memory.available)}` : "",
      store.loads.map((load) => load.resident).reverse()),
    card("Content", words.bytes(memory.content), memory.content_limit ? `of ${words.bytes(memory.content_limit)}` : "", store.loads.map((load) => load.content).reverse()),
    card("Lua", words.bytes(memory.lua + (memory.modules ?? 0)), memory.modules ? `modules ${words.bytes(memory.modules)}` : ""),
    card("Evictions", words.count(evicted), store.loads.length > 1 ? `${words.count(Math.max(0, evicted - oldest.evicted))} in ${minutes}` : "",
      store.loads.map((load) => load.evicted - oldest.evicted).reverse()),
  ];
}

const evictions = (service) => Object.entries(service.evicted ?? {}).filter(([, count]) => count > 0)
  .map(([reason, count]) => `${words.count(count)} ${{ count: "as too many", bytes: "as too large", no_data: "without data" }[reason] ?? reason}`).join(", ") || "none";

function drawHost() {
  const status = store.status, node = find("#host");
  if (!status) return node.replaceChildren(make("p", { class: "dim" }, "…"));
  const generation = status.generation;
  const reloads = store.reloads.map((event) => [words.time(event.time), String(event.generation), event.trigger,
    event.error ? make("span", { class: "bad" }, "✕ " + event.error) : event.modules ? "modules: " + event.modules.join(", ") : "the script"]);
  const scroll = node.scrollTop, focused = node.contains(document.activeElement) ? document.activeElement.dataset.act : undefined;
  const act = (name, service, kind, path, question, said) => make("button", { class: kind, "data-act": name + service, "aria-label": `${name} ${service}`,
    onclick: () => command(path, question, name, said) }, name);
  node.replaceChildren(
    make("div", { class: "cards" }, ...loadCards(status)),
    make("div", { class: "cards" }, card("Up", words.seconds(status.uptime)), card("Generation", String(generation.number)),
      card("Finishing", String(generation.retiring)), card("Connections", words.count(status.gateway.connections)),
      card("Requests", words.count(status.requests)), card("Jobs", words.count(status.jobs), status.failed_jobs ? `${status.failed_jobs} failed` : "")),
    ...(status.workers ? table("Workers", ["Worker", "Process#~", "Requests#", "Connections#", "CPU#", "Memory#"], status.workers.map((worker) =>
      [String(worker.number), String(worker.pid), words.count(worker.requests), words.count(worker.connections ?? 0),
        worker.cpu === undefined ? "" : words.seconds(worker.cpu), worker.resident === undefined ? "" : words.bytes(worker.resident)])) : []),
    ...status.warnings.map((text) => make("p", { class: "warn" }, "⚠ " + text)),
    ...(status.last_failure ? [make("h3", { class: "bad" }, "The last reload failed; the generation before it goes on"), ...failureView(status.last_failure)] : []),
    ...table("Services", ["Name", "~Base URL", "#Resources", "~#Content", "~Evicted", "Commands"], status.services.map((service) => [service.name,
      make("span", { class: "mono" }, service.base_url ?? "absolute URLs only"), words.count(service.resources),
      words.bytes(service.content), evictions(service),
      make("span", { class: "acts" },
        act("Invalidate", service.name, "", `invalidate?service=${encodeURIComponent(service.name)}`,
          `Run the configuration blocks of ${service.name} again when they are next needed?`, () => "invalidated"),
        act("Wipe", service.name, "do", `wipe?service=${encodeURIComponent(service.name)}`,
          `Wipe all resources of ${service.name}? Their data goes, in the caches too.`, (said) => `${said.resources} wiped`))])),
    ...table("Generations", ["Time", "#Number", "Why", "What changed"], [...reloads,
      [words.time(now() - generation.age), String(generation.number), generation.trigger, "runs now"]]),
    ...(status.limits.length ? table("Limits", ["Name", "#In flight", "#Waiting", "#A second", "Paused"], status.limits.map((limit) =>
      [limit.name, limit.in_flight + (limit.most_in_flight ? " of " + limit.most_in_flight : ""), String(limit.waiting), limit.rate === null ? "" : limit.rate.toFixed(2),
        limit.paused > 0 ? words.seconds(limit.paused) : ""])) : []),
    ...(status.breakers.length ? table("Circuits", ["Origin", "State", "Open for"], status.breakers.map((breaker) =>
      [breaker.origin, breaker.state, breaker.open > 0 ? words.seconds(breaker.open) : ""])) : []),
    make("h3", {}, "Process"),
    facts(["Version", status.version], ["Process", String(status.pid)], ["Script", status.script], ["Folder", status.folder],
      ["Listening", status.gateway.listening.join(", ")], ["Admin socket", status.admin],
      ["Requests kept since", store.since ? words.time(store.since) : undefined]));
  node.scrollTop = scroll;
  if (focused) [...node.querySelectorAll("[data-act]")].find((button) => button.dataset.act === focused)?.focus();
}
