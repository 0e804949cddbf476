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
  find("#table").focus();
}

const facts = (...pairs) => make("dl", {}, ...pairs.filter(([, value]) => value !== undefined && value !== "" && value !== null)
  .flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));

const opens = {
  resources(row) {
    const explained = make("div", {}, make("p", { class: "dim" }, "…"));
    const own = [...store.requests.values()].filter((request) => request.url === row.url && request.service === row.service && request.worker === row.worker).reverse().slice(0, 20);
    const axis = new Axis(own), path = row.path;
    showDetail([
      make("h2", {}, row.url),
      facts(["State", stateCell(row)], ["Service", row.service], ["Worker", row.worker], ["Age", words.age(row.since)],
        ["Fresh for", row.until > now() ? words.seconds(Math.ceil(row.until - now())) : undefined],
        ["Open requests", String(row.requests)], ["Kept by", (row.kept || []).join(", ") || "nobody: it goes when room is needed"]),
      make("div", { class: "acts" }, path === undefined ? null : make("button", { class: "do", onclick: () => command(
        `wipe?service=${encodeURIComponent(row.service)}&path=${encodeURIComponent(path)}`,
        `Wipe ${row.url}? Its data goes, in the caches too.`, "Wipe", (said) => `${said.resources} wiped`) }, "Wipe")),
      own.length ? make("h3", {}, "Requests") : null,
      ...own.map((request) => lane(make("button", { class: "plain", onclick: () => opens.requests(request) },
        `${words.time(request.began)} ${request.status ?? request.error ?? ""}`), waterfall(request, axis), endOf(request) - request.began)),
      make("h3", {}, "Why it is requested like this"), explained,
    ].filter(Boolean), row);
    if (path === undefined) return explained.replaceChildren(make("p", { class: "dim" }, "It is outside of its service's base URL."));
    call(`explain?service=${encodeURIComponent(row.service)}&path=${encodeURIComponent(path)}`)
      .then((answer) => explained.replaceChildren(...explanation(answer)))
      .catch((error) => explained.replaceChildren(make("p", { class: "bad" }, error.message)));
  },

  requests(row) { showDetail(row.side === "client" ? clientView(row) : requestView(row), row); },

  errors(error) {
    if (error.request) {
      showDetail([...requestView({ ...error.request, message: undefined })], error);
      find("#detail h2").after(make("p", { class: "bad" }, error.title), source(error));
    } else if (error.entry) opens.log(error.entry);
    else showDetail(failureView({ ...(store.status?.last_failure ?? {}), detail: error.title }), error);
  },

  log(entry) {
    const rest = Object.entries(entry).filter(([name]) => !["time", "message", "level", "traceback"].includes(name));
    showDetail([make("h2", {}, entry.level ?? entry.category ?? "log"), make("pre", {}, entry.message), source(entry),
      facts(["Time", words.moment(entry.time)], ...rest.map(([name, value]) => [name, typeof value === "object" ? JSON.stringify(value) : String(value)])),
      entry.traceback ? make("pre", {}, entry.traceback) : ""], entry);
  },
};

function requestView(request) {
  const axis = new Axis([request]);
  return [
    make("h2", {}, `${request.method ?? ""} ${request.url ?? ""}`),
    facts(["Status", request.ended ? statusText(request) : "under way"], ["Result", resultOf(request)],
      ["Service", request.service], ["Worker", request.worker], ["Began", words.moment(request.began)], ["Took", words.seconds(endOf(request) - request.began)],
      ["Received", request.size === undefined ? undefined : words.bytes(request.size)]),
    copyActs(request),
    request.message ? make("pre", { class: "bad" }, request.message) : "",
    make("h3", {}, "Messages"),
    ...request.attempts.map((attempt) => lane(`${attempt.number}. ${attempt.reason ?? "first"}`, waterfall(request, axis, attempt), attempt.seconds)),
    lane("all", waterfall(request, axis), endOf(request) - request.began),
    key([...phases, "after", "failed"]),
    messages(request), ...meanwhile(request),
  ];
}

function clientView(row) {
  const entry = row.entry;
  return [
    make("h2", {}, `${row.method} ${row.url}`),
    facts(["Status", statusText(row)], ["Result", make("span", {}, resultOf(row), " · " + (outcomes[row.outcome]?.[1] ?? ""))], ["Problem", entry.code],
      ["Began", words.moment(row.began)], ["Took", words.seconds(answered(row))], ["Sent", words.bytes(row.size)],
      ["Worker", row.worker], ["Client", entry.client], ["Name", entry.name], ["Protocol", entry.version], ["User agent", entry.user_agent]),
    ...meanwhile(row), key(["hit", "served", "old", "failed"]),
  ];
}

const lane = (name, line, seconds) => make("div", { class: "lane" }, typeof name === "string" ? make("span", { class: "dim" }, name) : name, line,
  make("span", { class: "num" }, seconds > 0 ? words.seconds(seconds) : ""));

function excerpt(lines, at) {
  return make("pre", {}, ...lines.map((line) => make("span", line.line === at ? { class: "at" } : {}, `${String(line.line).padStart(4)}  ${line.text}\n`)));
}

// The line of the script that an error or an entry of the log names, `file:line`. A text may have it in
// brackets, and URLs with any characters besides.
function placeOf(item) {
  if (item.file) return `${item.file}:${item.line ?? 1}`;
  if (item.place) return item.place;
  for (const word of (item.title ?? item.message ?? "").split(/\s+/)) {
    const found = /^[(\["'<]*([^:()<>"']+\.lua):(\d+)/.exec(word);
    if (found) return `${found[1]}:${found[2]}`;
  }
}

function source(item) {
  const node = make("div", {}), place = placeOf(item);
  if (!place) return node;
  const colon = place.lastIndexOf(":"), file = place.slice(0, colon), line = Number(place.slice(colon + 1));
  call(`source?file=${encodeURIComponent(file)}&line=${line}`)
    .then((found) => node.replaceChildren(make("div", { class: "dim mono" }, place), excerpt(found.lines, line))).catch(() => {});
  return node;
}

function failureView(failure) {
  return [make("h2", { class: "bad" }, failure.detail ?? failure.message ?? "it failed"),
    facts(["File", failure.file ? `${failure.file}:${failure.line ?? ""}` : undefined], ["Hint", failure.hint]),
    failure.excerpt ? excerpt(failure.excerpt, failure.line) : source({ title: failure.detail, file: failure.file, line: failure.line }),
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
