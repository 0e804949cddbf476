// The details of the chosen row.
let shown = null;
function showDetail(nodes, key) {
  shown = key;
  const detail = find("#detail");
  detail.replaceChildren(make("button", { class: "close", title: "Close (Esc)", "aria-label": "Close", onclick: closeDetail }, "×"), ...nodes);
  detail.scrollTop = 0;
}

function closeDetail() {
  shown = null;
  find("#detail").replaceChildren();
  find("#list").focus();
}

const facts = (...pairs) => make("dl", {}, ...pairs.filter(([, value]) => value !== undefined && value !== "" && value !== null)
  .flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));

const opens = {
  resources(row) {
    const state = stateOf(row);
    const explained = make("div", {}, make("p", { class: "dim" }, "…"));
    const own = views.requests.items().filter((request) => request.url === row.url && request.service === row.service).slice(0, 20);
    const path = row.path;
    showDetail([
      make("h2", {}, row.url),
      facts(["State", make("span", { class: "dot " + state }, row.error ?? state)], ["Service", row.service], ["Age", words.age(row.since)],
        ["Open requests", String(row.requests)], ["Kept by", (row.kept || []).join(", ") || "nobody: it goes when room is needed"]),
      make("div", { class: "acts" }, path === undefined ? null : make("button", { class: "do", onclick: () => command(
        `wipe?service=${encodeURIComponent(row.service)}&pattern=${encodeURIComponent(row.path.replace(/[?*]/g, "\\$&"))}`,
        `Wipe ${row.url}? Its data goes, in the caches too.`, "Wipe", (said) => `${said.resources} wiped`) }, "Wipe")),
      own.length ? make("h3", {}, "Requests") : null,
      ...own.map((request) => lane(`${words.time(request.began)} ${request.status ?? request.error ?? ""}`, waterfall(request), (request.ended ?? 0) - request.began)),
      make("h3", {}, "Why it is requested like this"), explained,
    ].filter(Boolean), row);
    if (path === undefined) return explained.replaceChildren(make("p", { class: "dim" }, "It is outside of its service's base URL."));
    call(`explain?service=${encodeURIComponent(row.service)}&path=${encodeURIComponent(path)}`)
      .then((answer) => explained.replaceChildren(...explanation(answer)))
      .catch((error) => explained.replaceChildren(make("p", { class: "bad" }, error.message)));
  },

  requests(request) {
    showDetail([
      make("h2", {}, `${request.method ?? ""} ${request.url ?? ""}`),
      facts(["Status", request.status ? String(request.status) : request.ended ? "none" : "under way"], ["Error", request.error],
        ["Service", request.service], ["Began", words.time(request.began)],
        ["Took", words.seconds((request.ended ?? Date.now() / 1000) - request.began)],
        ["Data", request.ended && !request.error ? request.isNew ? "new" : "not modified" : undefined]),
      request.message ? make("pre", {}, request.message) : null,
      make("h3", {}, "Messages"),
      ...request.attempts.map((attempt) => lane(`${attempt.number}. ${attempt.reason ?? "first"}`, waterfall(request, attempt), attempt.seconds)),
      lane("all", waterfall(request), (request.ended ?? Date.now() / 1000) - request.began),
      make("div", { class: "key" }, ...[...phases, "after", "failed"].map((name) =>
        make("span", {}, make("i", { class: name }), name === "after" ? "pipeline" : name))),
      ...request.attempts.map((attempt) => make("div", { class: "block" }, make("b", {}, `${attempt.number}. ${attempt.method} ${attempt.url}`),
        facts(["Answer", attempt.status ? `${attempt.status} HTTP/${attempt.http_version}` : undefined], ["Error", attempt.message],
          ["Phase", attempt.phase], ["Connection", attempt.status ? attempt.reused ? "used before" : "new" : undefined],
          ["Received", attempt.bytes_received === undefined ? undefined : words.bytes(attempt.bytes_received)],
          ["Sent", attempt.bytes_sent ? words.bytes(attempt.bytes_sent) : undefined]))),
    ].filter(Boolean), request);
  },

  errors(error) {
    if (error.request) {
      opens.requests({ ...error.request, message: undefined });
      shown = error;
      find("#detail h2").after(make("p", { class: "bad" }, error.title), source(error.title));
    } else showDetail(failureView({ ...(store.status?.last_failure ?? {}), detail: error.title }), error);
  },

  log(entry) {
    const rest = Object.entries(entry).filter(([name]) => !["time", "message", "level"].includes(name));
    showDetail([make("h2", {}, entry.level ?? entry.category ?? "log"), make("pre", {}, entry.message), source(entry.message),
      facts(...rest.map(([name, value]) => [name, typeof value === "object" ? JSON.stringify(value) : String(value)]))], entry);
  },
};

const lane = (name, line, seconds) => make("div", { class: "lane" }, make("span", { class: "dim" }, name), line,
  make("span", { class: "num" }, seconds > 0 ? words.seconds(seconds) : ""));

function excerpt(lines, at) {
  return make("pre", {}, ...lines.map((line) => make("span", line.line === at ? { class: "at" } : {}, `${String(line.line).padStart(4)}  ${line.text}\n`)));
}

// The lines of the script that a message names.
function source(message) {
  const place = /([^\s:'"]+\.lua):(\d+)/.exec(message ?? "");
  const node = make("div", {});
  if (place) {
    call(`source?file=${encodeURIComponent(place[1])}&line=${place[2]}`)
      .then((found) => node.replaceChildren(excerpt(found.lines, Number(place[2])))).catch(() => {});
  }
  return node;
}

function failureView(failure) {
  return [make("h2", { class: "bad" }, failure.detail ?? failure.message ?? "it failed"),
    facts(["File", failure.file ? `${failure.file}:${failure.line ?? ""}` : undefined], ["Hint", failure.hint]),
    failure.excerpt ? excerpt(failure.excerpt, failure.line) : source(failure.detail),
    failure.traceback ? make("pre", {}, failure.traceback) : ""];
}

const value = (tree) => tree === null || tree === undefined ? "nothing" : typeof tree === "object" ? JSON.stringify(tree) : String(tree);
function explanation(answer) {
  const change = (entry) => "added" in entry ? `${entry.field} + ${entry.added.description ?? entry.added.origin ?? ""}`
    : "removed" in entry ? `${entry.field} − ${entry.removed.description ?? entry.removed.origin ?? ""}`
    : `${entry.field}: ${value(entry.before)} → ${value(entry.after)}`;
  const request = answer.request;
  return [
    ...answer.failures.map((failure) => make("p", { class: "bad" }, failure.message)),
    ...answer.blocks.map((block) => make("div", { class: "block" }, make("b", {}, block.description),
      block.origin ? make("span", { class: "dim" }, "  " + block.origin) : null,
      block.changes.length ? make("ul", {}, ...block.changes.map((entry) => make("li", {}, change(entry)))) : make("div", { class: "dim" }, "changes nothing"),
      block.failure ? make("p", { class: "bad" }, block.failure.message) : null)),
    make("h3", {}, "What is sent"),
    request ? make("pre", {}, `${request.method} ${request.url}\n` + (request.headers ?? []).map((field) =>
      Array.isArray(field) ? field.join(": ") : `${field.name}: ${field.value}`).join("\n")) : make("p", { class: "dim" }, "Nothing."),
    make("h3", {}, "Pipeline"),
    ...answer.stages.map((stage) => make("div", { class: "block" }, make("b", {}, stage.name),
      make("span", { class: "dim" }, (stage.transformers.length ? "  " + stage.transformers.map((part) => part.description ?? part.origin).join(", ") : "  empty")
        + (stage.cache ? `; cache ${stage.cache}` : "")))),
  ];
}
