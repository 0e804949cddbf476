// The content of each list: its columns, and the rows that match the filter.
const cell = (text, kind = "") => make("span", { class: kind, title: text }, text);
const stateOf = (row) => row.loading ? "loading" : row.error ? "error" : row.data ? "data" : "empty";

const views = {
  resources: {
    columns: ["8em", "minmax(0, 1fr)", "7em", "9em"], narrow: ["6.5em", "minmax(0, 1fr)", "4.5em"],
    heads: ["State", "Resource", "Age", "Kept by"],
    items: () => [...store.resources.values()],
    key: (row) => row.service + " " + row.url,
    text: (row) => `${row.service} ${row.url} ${stateOf(row)} ${row.error || ""}`,
    empty: "No resources yet. They appear when a client asks for one.",
    draw: (row) => [
      cell(row.error && !row.loading ? row.error : stateOf(row), "dot " + stateOf(row)),
      make("span", { class: "url", title: row.url }, make("span", { class: "dim" }, row.service + " "), row.path ?? row.url),
      cell(words.age(row.since), "num"), cell((row.kept || []).join(", ") || "memory", "dim wide"),
    ],
  },
  requests: {
    columns: ["5em", "4.5em", "minmax(0, 1fr)", "6em", "180px"], narrow: ["3.6em", "minmax(0, 1fr)", "4.5em"],
    heads: ["Method", "Status", "URL", "Time", "Messages"],
    items: () => [...store.requests.values()].reverse(),
    key: (request) => request.id,
    text: (request) => `${request.service} ${request.method} ${request.url} ${request.status ?? ""} ${request.error ?? ""}`,
    empty: "No requests yet. They appear as the host sends them.",
    draw: (request) => [
      cell(request.method ?? "", "wide"),
      cell(request.ended ? request.status ? String(request.status) : request.error ?? "" : "…", request.error ? "bad" : ""),
      cell(request.url ?? "", "url"),
      cell(words.seconds((request.ended ?? Date.now() / 1000) - request.began), "num"),
      make("span", { class: "wide" }, waterfall(request)),
    ],
  },
  errors: {
    columns: ["5.5em", "10em", "minmax(0, 1fr)"], narrow: ["5em", "minmax(0, 1fr)"],
    heads: ["Time", "Where", "What"],
    items: () => store.errors,
    key: (error) => error,
    text: (error) => `${error.service ?? ""} ${error.url ?? ""} ${error.title}`,
    empty: "No errors since this page was opened.",
    draw: (error) => [cell(words.time(error.time), "num dim"), cell(error.service ?? "reload", "wide"), cell(error.title, "bad")],
  },
  log: {
    columns: ["5.5em", "5em", "minmax(0, 1fr)"], narrow: ["5em", "minmax(0, 1fr)"],
    heads: ["Time", "Level", "Message"],
    items: () => store.log,
    key: (entry) => entry,
    text: (entry) => `${entry.level ?? entry.category ?? ""} ${entry.message}`,
    empty: "The log is quiet.",
    draw: (entry) => [
      cell(words.time(typeof entry.time === "number" ? entry.time : Date.parse(entry.time) / 1000), "num dim"),
      cell(entry.level ?? entry.category ?? "", "wide " + ({ error: "bad", warn: "warn" }[entry.level] ?? "dim")),
      cell(entry.message, entry.level === "error" ? "mono bad" : "mono"),
    ],
  },
};

const phases = ["queue", "dns", "connect", "tls", "wait", "transfer"];
const bar = (kind, left, width, title) => make("i", { class: kind, title, left: left * 100 + "%", width: Math.max(width, 0) * 100 + "%" });

// Draws the attempts along one time line; `only` restricts it to one attempt.
function waterfall(request, only) {
  const end = request.ended ?? Date.now() / 1000;
  const span = Math.max(end - request.began, 1e-6);
  const line = make("div", { class: "fall", role: "img", "aria-label": `${request.attempts.length} messages in ${words.seconds(span)}` });
  for (const attempt of request.attempts) {
    if (only && attempt !== only) continue;
    let at = (attempt.began - request.began) / span;
    const parts = attempt.phases ?? {};
    if (attempt.error) { line.append(bar("failed", at, attempt.seconds / span, attempt.error)); continue; }
    const known = phases.reduce((sum, name) => sum + (parts[name] ?? 0), 0);
    if (!known) { line.append(bar("wait", at, attempt.seconds / span, words.seconds(attempt.seconds))); continue; }
    for (const name of phases) {
      if (!parts[name]) continue;
      line.append(bar(name, at, parts[name] / span, `${name} ${words.seconds(parts[name])}`));
      at += parts[name] / span;
    }
  }
  const last = request.attempts.at(-1);
  if (request.ended && last && !only) {
    const after = (last.began + last.seconds - request.began) / span;
    line.append(bar("after", after, 1 - after, "pipeline"));
  }
  return line;
}
