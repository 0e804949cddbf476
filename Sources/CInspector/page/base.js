"use strict";
// Elements, requests to the host, and the state that the views show.
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

const store = {
  resources: new Map(), requests: new Map(), clients: new Map(), errors: [], log: [], reloads: [], loads: [],
  status: null, services: [], since: null,
};
const limits = { requests: 1000, clients: 1000, errors: 300, log: 2000, reloads: 100, loads: 120 };
const keep = (list, item, most) => { list.unshift(item); if (list.length > most) list.length = most; };
let changed = new Set();
let isPaused = false;
const now = () => Date.now() / 1000;

// Each worker of the host counts its requests.
const keyOf = (side, worker, number) => `${side} ${worker ?? 0} ${number}`;
const resourceKey = (row) => [row.worker ?? 0, row.service, row.url].join(" ");

function requestOf(event) {
  const key = keyOf("api", event.worker, event.request);
  let request = store.requests.get(key);
  if (!request) {
    request = { side: "api", key, id: event.request, worker: event.worker, service: event.service, method: event.method, url: event.url,
      began: event.time, attempts: [] };
    store.requests.set(key, request);
    if (store.requests.size > limits.requests) store.requests.delete(store.requests.keys().next().value);
  }
  changed.add("requests");
  return request;
}

// An event may come twice, from the history and live.
const on = {
  request: requestOf,
  attempt(event) {
    const request = requestOf(event);
    if (request.attempts.some((known) => known.number === event.number && known.began === event.began)) return;
    request.attempts.push(event);
    request.attempts.sort((one, other) => one.began - other.began);
    request.began = Math.min(request.began, event.began);
    request.size = request.attempts.reduce((sum, attempt) => sum + (attempt.bytes_received ?? 0), 0);
  },
  response(event) {
    const request = requestOf(event);
    if (request.ended) return;
    Object.assign(request, { ended: event.time, status: event.status, error: event.error, message: event.message, isNew: event.is_new });
    if (event.seconds) request.began = Math.min(request.began, event.time - event.seconds);
    if (event.error && event.error !== "request_cancelled") {
      addError({ time: event.time, service: event.service, url: event.url, title: event.message || event.error, file: event.file, line: event.line, request });
    }
  },
  state(event) {
    const row = store.resources.get(resourceKey(event));
    if (!row) { missing = true; return; }
    if (event.event === "requested") row.loading = true;
    else if (event.event === "request_cancelled") row.loading = false;
    else if (event.event.startsWith("new_data") || event.event === "not_modified") {
      // The next list of the resources says how long it is fresh; until then as long as the last time.
      Object.assign(row, { loading: false, data: true, since: event.time, error: undefined, stale: undefined,
        until: row.lifetime === undefined ? undefined : event.time + row.lifetime });
      if (row.lifetime === undefined) missing = true;
    } else if (event.event === "error") Object.assign(row, { loading: false, error: row.error || "error", since: event.time });
    else if (event.event === "observer_added") row.observed = true;
    changed.add("resources");
  },
  reload(event) {
    // All workers load the script together.
    if ((event.worker ?? 1) !== 1 || store.reloads.some((known) => known.time === event.time)) return;
    store.reloads.push(event);
    store.reloads.sort((one, other) => other.time - one.time);
    store.reloads.length = Math.min(store.reloads.length, limits.reloads);
    if (event.error) addError({ time: event.time, title: event.error, isReload: true });
    if (now() - event.time < 10) { refreshStatus(); missing = true; }
  },
  breaker(event) { logged({ time: event.time, level: "warn", message: `circuit of ${event.origin} is ${event.state}`, worker: event.worker }); },
  log(event) {
    logged({ ...event, time: typeof event.time === "number" ? event.time : Date.parse(event.time) / 1000 });
  },
  dropped(event) { logged({ time: now(), level: "warn", message: `${event.count} events were dropped here` }); missing = true; },
};

function logged(entry) {
  keep(store.log, entry, limits.log);
  changed.add("log");
  // The failure of a request to an API is an error already.
  const isKnown = (error) => error.request && entry.message.includes(error.title);
  if (entry.level !== "error" || store.errors.slice(0, 50).some(isKnown)) return;
  addError({ time: entry.time, title: entry.message, place: entry.place, traceback: entry.traceback, entry });
}

function addError(error) {
  if (error.request) store.errors = store.errors.filter((known) => !(known.entry && known.title.includes(error.title)));
  store.errors.push(error);
  store.errors.sort((one, other) => other.time - one.time);
  store.errors.length = Math.min(store.errors.length, limits.errors);
  changed.add("errors");
}
