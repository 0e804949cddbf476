"use strict";
// Elements, requests to the host, and the stream of events.
const find = (selector, root = document) => root.querySelector(selector);
function make(tag, props = {}, ...kids) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name === "class") node.className = value;
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "left" || name === "width") node.style[name] = value;
    else if (value !== undefined && value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...kids.filter((kid) => kid !== null && kid !== undefined && kid !== ""));
  return node;
}

// The token is behind a #, which browsers don't send, and leaves the address bar at once.
if (location.hash.length > 1) {
  sessionStorage.setItem("token", location.hash.slice(1));
  history.replaceState(null, "", location.pathname);
}
const token = sessionStorage.getItem("token");
const headers = token ? { Authorization: "Bearer " + token } : {};

async function call(path, method = "GET") {
  const answer = await fetch(path, { method, headers, cache: "no-store" });
  const body = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(body.detail || answer.statusText), { body });
  return body;
}

const store = { resources: new Map(), requests: new Map(), errors: [], log: [], reloads: [], status: null, services: [] };
const limits = { requests: 500, errors: 300, log: 2000, reloads: 100 };
const keep = (list, item, most) => { list.unshift(item); if (list.length > most) list.length = most; };
let changed = new Set();
let isPaused = false;

async function follow() {
  const link = find("#link");
  for (let wait = 500; ; wait = Math.min(wait * 2, 8000)) {
    try {
      const answer = await fetch("events", { headers: { ...headers, Accept: "text/event-stream" }, cache: "no-store" });
      if (!answer.ok) throw new Error((await answer.json()).detail);
      link.textContent = "live"; link.className = "live"; wait = 500;
      refreshAll();
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
  const event = JSON.parse(data);
  (on[name] || (() => {}))(event);
}

function requestOf(event) {
  let request = store.requests.get(event.request);
  if (!request) {
    request = { id: event.request, service: event.service, method: event.method, url: event.url, began: event.time, attempts: [] };
    store.requests.set(event.request, request);
    if (store.requests.size > limits.requests) store.requests.delete(store.requests.keys().next().value);
  }
  changed.add("requests");
  return request;
}

const on = {
  request: requestOf,
  attempt(event) {
    const request = requestOf(event);
    request.attempts.push(event);
    request.began = Math.min(request.began, event.began);
  },
  response(event) {
    const request = requestOf(event);
    Object.assign(request, { ended: event.time, status: event.status, error: event.error, message: event.message, isNew: event.is_new });
    if (event.seconds) request.began = event.time - event.seconds;
    if (event.error && event.error !== "request_cancelled") addError({ ...event, title: event.message || event.error, request });
  },
  state(event) {
    const row = store.resources.get(event.service + " " + event.url);
    if (!row) { missing = true; return; }
    const now = event.time;
    if (event.event === "requested") row.loading = true;
    else if (event.event === "request_cancelled") row.loading = false;
    else if (event.event.startsWith("new_data") || event.event === "not_modified") {
      Object.assign(row, { loading: false, data: true, since: now, error: undefined });
    } else if (event.event === "error") Object.assign(row, { loading: false, error: row.error || "error", since: now });
    else if (event.event === "observer_added") row.observed = true;
    changed.add("resources");
  },
  reload(event) {
    keep(store.reloads, event, limits.reloads);
    if (event.error) addError({ ...event, title: event.error });
    refreshStatus(); missing = true;
  },
  breaker(event) { keep(store.log, { time: event.time, level: "warn", message: `circuit of ${event.origin} is ${event.state}` }, limits.log); changed.add("log"); },
  log(event) { keep(store.log, event, limits.log); changed.add("log"); },
  dropped(event) { keep(store.log, { time: Date.now() / 1000, level: "warn", message: `${event.count} events were dropped here` }, limits.log); missing = true; },
};

function addError(error) { keep(store.errors, error, limits.errors); changed.add("errors"); }

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
      const now = Date.now() / 1000;
      for (const row of page.resources) {
        if (row.age !== undefined) row.since = now - row.age;
        fresh.set(row.service + " " + row.url, row);
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
    store.status = await call("status");
    store.services = store.status.services.map((service) => service.name);
    changed.add("host");
  } catch (error) { toast(error.message); }
}

function refreshAll() { refreshStatus(); refreshResources(); }
