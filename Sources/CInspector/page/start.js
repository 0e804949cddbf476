// Connects the parts of the page.
const list = new VirtualList(find("#list"), find("#space"));
let view = "resources", filters = {}, pickedKeys = {};

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
  find("#detail").replaceChildren(); shown = null;
  if (name === "host") refreshStatus(); else draw(true);
  drawHost();
}

function draw(isReset = false) {
  if (view === "host") return drawHost();
  const kind = views[view];
  const service = find("#service").value, wanted = (filters[view] ?? "").toLowerCase();
  let items = kind.items();
  if (service) items = items.filter((item) => item.service === service);
  if (wanted) items = items.filter((item) => kind.text(item).toLowerCase().includes(wanted));
  const columns = narrow.matches ? kind.narrow : kind.columns;
  find("#side").style.setProperty("--columns", columns.join(" "));
  const hidden = kind.heads.length - columns.length;
  find("#heads").replaceChildren(...kind.heads.map((head) => make("span", { class: ["Age", "Time"].includes(head) ? "num" : "" }, head))
    .filter((_, at) => !hidden || !isHiddenWhenNarrow(view, at)));
  find("#heads").style.paddingRight = `${list.node.offsetWidth - list.node.clientWidth + (narrow.matches ? 12 : 16)}px`;
  list.key = kind.key;
  list.show(items, kind.draw, pickedKeys[view], isReset);
  find("#empty").textContent = items.length ? "" : wanted || service ? "Nothing fits the filter." : kind.empty;
}

const isHiddenWhenNarrow = (name, at) => ({ resources: [3], requests: [0, 4], errors: [1], log: [1] })[name].includes(at);

list.pick = (item, opens_) => { pickedKeys[view] = views[view].key(item); if (opens_) opens[view](item); };

function tick() {
  for (const tab of document.querySelectorAll("nav button")) {
    const count = { resources: store.resources.size, requests: store.requests.size, errors: store.errors.length, log: store.log.length }[tab.dataset.view];
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
  if (isPaused && view !== "resources" && view !== "host") return;
  if (changed.has(view) || ageTicks++ % 8 === 0 && view === "resources") { changed.delete(view); draw(); }
}
let ageTicks = 0;

find("nav").addEventListener("click", (event) => { const tab = event.target.closest("button"); if (tab) open(tab.dataset.view); });
find("#filter").addEventListener("input", (event) => { filters[view] = event.target.value; draw(true); });
find("#service").addEventListener("change", () => draw(true));
find("#pause input").addEventListener("change", (event) => { isPaused = event.target.checked; });
const reload = () => command("reload", "Reload the script? If it fails, the current one keeps running.", "Reload", (said) => `generation ${said.generation} runs`);
find("#reload").addEventListener("click", reload);
narrow.addEventListener("change", () => draw(true));
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || find("#ask").open) return;
  if (event.key === "Escape") { if (event.target.id === "filter") find("#list").focus(); else if (find("#detail").childElementCount) closeDetail(); return; }
  if (["INPUT", "SELECT"].includes(event.target.tagName)) return;
  const names = Object.keys(views).concat("host");
  const tab = event.target.closest("nav");
  if (tab && (event.key === "ArrowRight" || event.key === "ArrowLeft")) {
    open(names[(names.indexOf(view) + (event.key === "ArrowRight" ? 1 : names.length - 1)) % names.length]);
    find(`nav [data-view=${view}]`).focus();
  } else if (names[event.key - 1]) open(names[event.key - 1]);
  else if (event.key === "/" && view !== "host") { find("#filter").focus(); event.preventDefault(); }
  else if (event.key === "r") reload();
});
open("resources");
setInterval(tick, 250);
setInterval(() => { if (!document.hidden) refreshStatus(); }, 5000);
follow();
