// The host's events as they happen, those from before, and what is asked for from time to time.
async function follow() {
  const link = find("#link");
  for (let wait = 500; ; wait = Math.min(wait * 2, 8000)) {
    try {
      const answer = await fetch("events", { headers: { ...headers, Accept: "text/event-stream" }, cache: "no-store" });
      if (!answer.ok) throw new Error((await answer.json()).detail);
      link.textContent = "live"; link.className = "live"; wait = 500;
      begin();
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        const frames = (rest + value).split("\n\n");
        rest = frames.pop();
        for (const frame of frames) read(frame);
      }
      link.textContent = "reconnecting";
    } catch (error) { link.textContent = error.message === "Failed to fetch" ? "the host is gone" : error.message; }
    link.className = "lost";
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

function read(frame) {
  let name = "", data = "";
  for (const line of frame.split("\n")) {
    if (line.startsWith("event: ")) name = line.slice(7);
    else if (line.startsWith("data: ")) data += line.slice(6);
  }
  if (!name) return;
  (on[name] || (() => {}))(JSON.parse(data));
}

// A new connection may lead to another process, which counts its requests anew.
function begin() {
  store.requests.clear(); store.clients.clear();
  Object.assign(store, { errors: [], log: [], reloads: [], lastClient: "0" });
  for (const view of ["requests", "errors", "log"]) changed.add(view);
  refreshStatus(); refreshResources(); refreshHistory();
}

async function refreshHistory() {
  try {
    const past = await call("history");
    store.since = past.since;
    for (const event of past.events) (on[event.kind] || (() => {}))(event);
    sortRequests();
    changed.add("requests");
  } catch (error) { toast(error.message); }
  refreshClients();
}

// Live requests may have come before the history.
function sortRequests() {
  store.requests = new Map([...store.requests].sort((one, other) => one[1].began - other[1].began));
}

// Clients may be many, so the page asks for their requests once a second, and the host is not slowed down.
let isAsking = false;
async function refreshClients() {
  if (isAsking) return;
  isAsking = true;
  try {
    const answer = await call(`clients?after=${store.lastClient ?? "0"}`);
    store.lastClient = answer.last;
    for (const entry of answer.requests) {
      const path = entry.target.split("?")[0].split("/");
      const key = keyOf("client", entry.worker, entry.number);
      store.clients.set(key, { side: "client", key, worker: entry.worker, service: path[1], url: entry.target, method: entry.method,
        status: entry.status, outcome: entry.outcome, size: entry.bytes, began: entry.began, ended: entry.began + entry.seconds, attempts: [],
        error: entry.status >= 400 ? entry.code ?? "http_" + entry.status : undefined, entry });
      if (store.clients.size > limits.clients) store.clients.delete(store.clients.keys().next().value);
    }
    if (answer.requests.length) changed.add("requests");
  } catch (error) { if (find("#link.live")) toast(error.message); }
  isAsking = false;
}

// Reads new rows from time to time; the more rows there are, the less often.
let missing = false, isRefreshing = false, refreshedAt = 0;
async function refreshResources() {
  if (isRefreshing) return;
  isRefreshing = true; missing = false;
  try {
    const fresh = new Map();
    for (let offset = 0, total = 1; offset < total; offset += 1000) {
      const page = await call(`resources?limit=1000&offset=${offset}`);
      total = Math.min(page.total, 50000);
      for (const row of page.resources) {
        if (row.age !== undefined) row.since = now() - row.age;
        if (row.fresh_for !== undefined) row.until = now() + row.fresh_for;
        if (row.until !== undefined && row.since !== undefined) row.lifetime = row.until - row.since;
        fresh.set(resourceKey(row), row);
      }
      if (!page.resources.length) break;
    }
    store.resources = fresh;
    changed.add("resources");
  } catch (error) { toast(error.message); }
  refreshedAt = Date.now(); isRefreshing = false;
}

async function refreshStatus() {
  try {
    const status = store.status = await call("status");
    store.services = status.services.map((service) => service.name);
    const evicted = status.services.flatMap((service) => Object.values(service.evicted ?? {})).reduce((sum, count) => sum + count, 0);
    keep(store.loads, { time: now(), cpu: status.cpu?.process, resident: status.memory.resident, content: status.memory.content, evicted }, limits.loads);
    changed.add("host");
  } catch (error) { toast(error.message); }
}
