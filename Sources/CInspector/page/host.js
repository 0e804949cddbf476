// The host's own page: generations and changes, services, memory, limits.
// A # marks columns of numbers, a ~ columns that a narrow page leaves out.
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
