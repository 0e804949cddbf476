// Connects the parts of the page.
const list = new VirtualList(find("#table"), find("#list"), find("#space"));
let view = "resources", filters = {}, pickedKeys = {}, sorts = {}, axis = new Axis([]);

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
  find("#side-of").hidden = name !== "requests";
  find("#table").setAttribute("aria-label", name);
  find("#detail").replaceChildren(); shown = null;
  if (name === "host") refreshStatus(); else draw(true);
  drawHost();
}

function columnsNow() {
  const width = find("#side").clientWidth;
  return views[view].columns.filter((column) => width >= (column.from ?? 0));
}

function sorted(items, kind) {
  const sort = sorts[view] ?? kind.first;
  if (!sort) return items;
  const by = kind.columns.find((column) => column.name === sort.name).by, way = sort.descends ? -1 : 1;
  const compare = (one, other) => typeof one === "string" || typeof other === "string" ? String(one ?? "").localeCompare(String(other ?? "")) : (one ?? 0) - (other ?? 0);
  return items.map((item) => [by(item), item]).sort((one, other) => way * compare(one[0], other[0])).map((pair) => pair[1]);
}

function draw(isReset = false) {
  if (view === "host") return drawHost();
  const kind = views[view];
  const service = find("#service").value, wanted = (filters[view] ?? "").toLowerCase();
  let items = kind.items();
  if (service) items = items.filter((item) => item.service === service);
  if (wanted) items = items.filter((item) => kind.text(item).toLowerCase().includes(wanted));
  items = sorted(items, kind);
  const columns = columnsNow();
  find("#span").hidden = !columns.some((column) => column.isAxis);
  find("#side").style.setProperty("--columns", columns.map((column) => column.width).join(" "));
  list.key = kind.key;
  list.look = columns.some((column) => column.isAxis) ? (rows) => setAxis(rows, items) : () => false;
  list.show(items, (item) => columns.map((column) => column.cell(item)), pickedKeys[view], isReset);
  drawHeads(columns, kind);
  find("#table").setAttribute("aria-colcount", columns.length);
  find("#sum").textContent = kind.sum && items.length ? kind.sum(items) : "";
  find("#empty").textContent = items.length ? "" : wanted || service ? "Nothing fits the filter." : kind.empty;
}

// Whether the axis changed, and with it all waterfalls.
function setAxis(rows, items) {
  const wanted = find("#span").value;
  const next = wanted === "view" ? new Axis(rows) : wanted === "all" ? new Axis(items) : Axis.last(Number(wanted));
  if (next.isLike(axis)) return false;
  axis = next;
  find("#side").style.setProperty("--step", axis.step / axis.span * 100 + "%");
  const marks = find("#heads .marks");
  if (marks) { marks.replaceWith(axis.marks()); Axis.fit(find("#heads .marks")); }
  return true;
}

function drawHeads(columns, kind) {
  const sort = sorts[view] ?? kind.first, heads = find("#heads"), focused = document.activeElement?.dataset.head;
  heads.replaceChildren(...columns.map((column, at) => {
    const isThis = sort?.name === column.name;
    return make("span", { class: column.kind ?? "", role: "columnheader", "aria-colindex": at + 1,
      "aria-sort": isThis ? sort.descends ? "descending" : "ascending" : "none" },
      make("button", { "data-head": column.name, title: `Sort by ${column.name.toLowerCase()}`, onclick: () => sortBy(column.name) },
        column.name, make("b", { "aria-hidden": "true" }, isThis ? sort.descends ? " ▾" : " ▴" : "")),
      column.isAxis ? axis.marks() : null);
  }));
  Axis.fit(find(".marks", heads));
  heads.style.paddingRight = `${list.node.offsetWidth - list.node.clientWidth + (narrow.matches ? 12 : 16)}px`;
  if (focused) [...heads.querySelectorAll("button")].find((button) => button.dataset.head === focused)?.focus();
}

// Once ascending, then descending, then as at first.
function sortBy(name) {
  const sort = sorts[view];
  sorts[view] = sort?.name !== name ? { name, descends: false } : sort.descends ? undefined : { name, descends: true };
  draw(true);
}

list.pick = (item, opens_) => { pickedKeys[view] = views[view].key(item); if (opens_) opens[view](item); };

function tick() {
  for (const tab of document.querySelectorAll("nav button")) {
    const count = { resources: store.resources.size, requests: store.requests.size + store.clients.size, errors: store.errors.length, log: store.log.length }[tab.dataset.view];
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
  if (ticks++ % 4 === 0 && !document.hidden && find("#link.live")) refreshClients();
  if (isPaused && view !== "resources" && view !== "host") return;
  const moves = view === "requests" && Number(find("#span").value) > 0;
  if (changed.has(view) || ticks % 8 === 0 && (view === "resources" || moves)) { changed.delete(view); draw(); }
}
let ticks = 0;

const names = Object.keys(views).concat("host");
const keys = [
  ["1 to 5", "a view"], ["/", "filter"], ["↑ ↓ j k, Page, Home, End", "rows"], ["Enter", "into the details"], ["Esc", "close"],
  ["s", "sort by the next column"], ["c", "copy the request as curl"], ["d", "copy it as a definition"], ["p", "pause"], ["r", "reload the script"], ["?", "these keys"],
];
function help() {
  find("#help dl").replaceChildren(...keys.flatMap(([name, text]) => [make("dt", {}, make("kbd", {}, name)), make("dd", {}, text)]));
  find("#help").showModal();
}

function copyPicked(name, what) {
  const item = (shown?.request ?? shown) ?? list.items[list.picked];
  if (item?.side === "api") return copyRequest(item, name, what);
  const row = item?.request ?? (view === "resources" && item ? [...store.requests.values()].filter((request) => request.url === item.url).pop() : undefined);
  if (row?.side === "api") copyRequest(row, name, what); else toast("Choose a request to an API first.");
}

function sortNext() {
  const columns = columnsNow(), at = columns.findIndex((column) => column.name === (sorts[view] ?? views[view].first)?.name);
  sortBy(columns[(at + 1) % columns.length].name);
}

const reload = () => command("reload", "Reload the script? If it fails, the current one keeps running.", "Reload", (said) => `generation ${said.generation} runs`);
const commands = { r: reload, "?": help, c: () => copyPicked("curl", "curl"), d: () => copyPicked("definition", "definition"),
  p: () => { if (view !== "host" && view !== "resources") find("#pause input").click(); }, s: () => { if (view !== "host") sortNext(); },
  "/": () => { if (view !== "host") find("#filter").focus(); } };

// Keys work wherever the focus is, unless something there takes them itself.
function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const target = event.target, isFilter = target.id === "filter";
  if (event.key === "Escape") {
    if (isFilter) find("#table").focus(); else if (find("#detail").childElementCount) closeDetail();
    return;
  }
  if (isFilter && event.key === "ArrowDown") { find("#table").focus(); list.press(event.key); event.preventDefault(); return; }
  if (target.tagName === "SELECT" || target.tagName === "INPUT" && target.type !== "checkbox") return;
  const tab = target.closest("nav");
  if (tab && (event.key === "ArrowRight" || event.key === "ArrowLeft")) {
    open(names[(names.indexOf(view) + (event.key === "ArrowRight" ? 1 : names.length - 1)) % names.length]);
    find(`nav [data-view=${view}]`).focus();
  } else if (names[event.key - 1]) open(names[event.key - 1]);
  else if (Object.hasOwn(commands, event.key)) commands[event.key]();
  // Details scroll by these keys, and buttons take Enter.
  else if (target.closest("#detail, #host") || event.key === "Enter" && target.closest("button, summary, a") || view === "host" || !list.press(event.key)) return;
  event.preventDefault();
}

find("nav").addEventListener("click", (event) => { const tab = event.target.closest("button"); if (tab) open(tab.dataset.view); });
find("#filter").addEventListener("input", (event) => { filters[view] = event.target.value; draw(true); });
for (const name of ["#service", "#side-of", "#span"]) find(name).addEventListener("change", () => draw(true));
find("#pause input").addEventListener("change", (event) => { isPaused = event.target.checked; });
find("#reload").addEventListener("click", reload);
find("#keys").addEventListener("click", help);
document.addEventListener("keydown", press);
let width = 0;
new ResizeObserver(() => { if (find("#side").clientWidth !== width) { width = find("#side").clientWidth; draw(); } }).observe(find("#side"));
open("resources");
find("#table").focus();
setInterval(tick, 250);
setInterval(() => { if (!document.hidden) refreshStatus(); }, 5000);
follow();
