// The content of each list: its columns, and the texts that the filter looks at.
const cell = (text, kind = "") => make("span", { class: kind, title: text }, text);
const marked = (mark, text, kind) => make("span", { class: kind, title: text }, make("b", { class: "mark", "aria-hidden": "true" }, mark), text);

// Each state has a mark of its own shape.
const states = { fresh: "●", stale: "◐", data: "◍", error: "✕", empty: "○", loading: "↻" };
function stateOf(row) {
  if (row.loading) return "loading";
  if (row.error) return "error";
  if (!row.data) return "empty";
  if (row.until !== undefined) return row.until > now() ? "fresh" : "stale";
  return row.stale ? "stale" : "data";
}
const stateWords = (row) => stateOf(row) === "error" ? "failed: " + row.error : stateOf(row);
const stateCell = (row) => marked(states[stateOf(row)], stateWords(row), "state " + stateOf(row));

const statusText = (row) => row.ended ? row.status ? String(row.status) : "none" : "…";
function resultOf(row) {
  if (row.side === "client") return marked(outcomes[row.outcome]?.[0] ?? "", row.error ?? row.outcome ?? "", row.error ? "bad" : row.outcome === "stale" ? "warn" : "");
  if (!row.ended) return marked("↻", "under way", "dim");
  if (row.error) return marked("✕", row.error, "bad");
  const repeats = new Set(row.attempts.map((attempt) => attempt.number)).size - 1;
  return cell((row.isNew ? "new data" : "not modified") + (repeats > 0 ? `, repeated ${repeats}×` : ""));
}
const answered = (row) => endOf(row) - row.began;

// `from` is the least width of the table, in pixels, at which a column is there.
const views = {
  resources: {
    columns: [
      { name: "State", width: "minmax(7.5em, 12em)", by: stateWords, cell: stateCell },
      { name: "Resource", width: "minmax(0, 1fr)", by: (row) => row.service + " " + row.url, cell: (row) =>
        make("span", { class: "url", title: row.url }, make("span", { class: "dim" }, `${row.worker ? `[${row.worker}] ` : ""}${row.service} `), row.path ?? row.url) },
      { name: "Age", width: "5.5em", kind: "num", by: (row) => now() - (row.since ?? 0), cell: (row) => cell(words.age(row.since), "num") },
      { name: "Fresh for", width: "6em", from: 560, kind: "num", by: (row) => (row.until ?? 0) - now(),
        cell: (row) => cell(row.until > now() ? words.seconds(Math.ceil(row.until - now())) : "", "num") },
      { name: "Kept by", width: "9em", from: 560, by: (row) => (row.kept || []).join(", "), cell: (row) => cell((row.kept || []).join(", ") || "memory", "dim") },
    ],
    items: () => [...store.resources.values()],
    key: resourceKey,
    text: (row) => `${row.service} ${row.url} ${stateWords(row)}`,
    empty: "No resources yet. They appear when a client asks for one.",
  },
  requests: {
    columns: [
      { name: "Start", width: "7.4em", from: 760, kind: "num", by: (row) => row.began, cell: (row) => cell(words.moment(row.began), "num dim") },
      { name: "Of", width: "4em", from: 430, by: (row) => row.side, cell: (row) =>
        marked(row.side === "client" ? "→" : "⇢", row.side === "client" ? "client" : "API", row.side === "client" ? "" : "dim") },
      { name: "Method", width: "4.6em", from: 620, by: (row) => row.method, cell: (row) => cell(row.method ?? "") },
      { name: "Status", width: "4.2em", by: (row) => row.status ?? 0, cell: (row) => row.error ? marked("✕", statusText(row), "bad") : cell(statusText(row)) },
      { name: "URL", width: "minmax(0, 1fr)", by: (row) => row.url, cell: (row) => cell(row.url ?? "", "url") },
      { name: "Result", width: "9em", from: 960, by: (row) => row.error ?? row.outcome ?? "", cell: resultOf },
      { name: "Size", width: "5.4em", from: 860, kind: "num", by: (row) => row.size ?? 0, cell: (row) => cell(row.size === undefined ? "" : words.bytes(row.size), "num") },
      { name: "Time", width: "4.8em", kind: "num", by: answered, cell: (row) => cell(words.seconds(answered(row)), "num") },
      { name: "Waterfall", width: "minmax(140px, .6fr)", from: 560, by: (row) => row.began, isAxis: true, cell: (row) => make("span", {}, waterfall(row, axis)) },
    ],
    items: () => [...(side() === "api" ? [] : store.clients.values()), ...(side() === "client" ? [] : store.requests.values())],
    first: { name: "Start", descends: true },
    sum: sumOf,
    key: (row) => row.key,
    text: (row) => `${row.side} ${row.service} ${row.method} ${row.url} ${row.status ?? ""} ${row.error ?? ""} ${row.outcome ?? ""} ${row.entry?.name ?? ""}`,
    empty: "No requests yet. They appear as clients ask, and as the host asks APIs.",
  },
  errors: {
    columns: [
      { name: "Time", width: "5.5em", kind: "num", by: (error) => error.time, cell: (error) => cell(words.time(error.time), "num dim") },
      { name: "Where", width: "10em", from: 560, by: whereOf, cell: (error) => cell(whereOf(error)) },
      { name: "Line", width: "8em", from: 760, by: (error) => placeOf(error) ?? "", cell: (error) => cell(placeOf(error) ?? "", "mono dim") },
      { name: "Error", width: "minmax(0, 1fr)", by: (error) => error.title, cell: (error) => marked("✕", error.title, "bad") },
    ],
    items: () => store.errors,
    first: { name: "Time", descends: true },
    key: (error) => error,
    text: (error) => `${whereOf(error)} ${error.url ?? ""} ${error.title}`,
    empty: "No errors.",
  },
  log: {
    columns: [
      { name: "Time", width: "5.5em", kind: "num", by: (entry) => entry.time, cell: (entry) => cell(words.time(entry.time), "num dim") },
      { name: "Level", width: "5em", from: 560, by: (entry) => entry.level ?? entry.category ?? "",
        cell: (entry) => cell(entry.level ?? entry.category ?? "", { error: "bad", warn: "warn" }[entry.level] ?? "dim") },
      { name: "Message", width: "minmax(0, 1fr)", by: (entry) => entry.message, cell: (entry) => cell(entry.message, entry.level === "error" ? "mono bad" : "mono") },
    ],
    items: () => store.log,
    first: { name: "Time", descends: true },
    key: (entry) => entry,
    text: (entry) => `${entry.level ?? entry.category ?? ""} ${entry.message}`,
    empty: "The log is quiet.",
  },
};

// The rows together, and how clients fared.
function sumOf(rows) {
  const clients = rows.filter((row) => row.side === "client"), times = clients.map(answered).sort((one, other) => one - other);
  const parts = [`${words.count(rows.length)} requests`, words.bytes(rows.reduce((sum, row) => sum + (row.size ?? 0), 0)), `${rows.filter((row) => row.error).length} failed`];
  if (clients.length) {
    const hits = clients.filter((row) => row.outcome === "hit").length, at = (part) => words.seconds(times[Math.floor((times.length - 1) * part)]);
    parts.push(`${words.count(hits)} of ${words.count(clients.length)} clients' from memory`, `half of the clients within ${at(0.5)}, 95 % within ${at(0.95)}`);
  }
  return parts.join(" · ");
}

function whereOf(error) { return error.service ?? (error.isReload ? "reload" : "host"); }
const side = () => find("#side-of").value;
