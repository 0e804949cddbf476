// A list that only has the rows in view, and the texts for times and sizes.
const rowHeight = 30;
class VirtualList {
  constructor(node, space) {
    Object.assign(this, { node, space, rows: new Map(), items: [], picked: -1, draw: null, pick: () => {}, key: (item) => item });
    node.addEventListener("scroll", () => this.render());
    new ResizeObserver(() => this.render()).observe(node);
    node.addEventListener("click", (event) => {
      const row = event.target.closest(".row");
      if (row) this.select(Number(row.dataset.at));
    });
    node.addEventListener("keydown", (event) => this.press(event));
  }

  show(items, draw, pickedKey, isReset) {
    if (isReset) { this.clear(); this.node.scrollTop = 0; }
    Object.assign(this, { items, draw });
    this.picked = pickedKey === undefined ? -1 : items.findIndex((item) => this.key(item) === pickedKey);
    this.space.style.height = items.length * rowHeight + "px";
    this.clear();
    this.render();
  }

  clear() { for (const row of this.rows.values()) row.remove(); this.rows.clear(); }

  render() {
    if (!this.draw) return;
    const first = Math.max(0, Math.floor(this.node.scrollTop / rowHeight) - 4);
    const last = Math.min(this.items.length, Math.ceil((this.node.scrollTop + this.node.clientHeight) / rowHeight) + 4);
    for (const [at, row] of this.rows) if (at < first || at >= last) { row.remove(); this.rows.delete(at); }
    for (let at = first; at < last; at++) {
      if (this.rows.has(at)) continue;
      const row = make("div", { class: "row", role: "option", id: "row" + at, "data-at": at, "aria-setsize": this.items.length,
        "aria-posinset": at + 1, "aria-selected": String(at === this.picked) }, ...this.draw(this.items[at]));
      row.style.top = at * rowHeight + "px";
      this.rows.set(at, row);
      this.node.append(row);
    }
    if (this.rows.has(this.picked)) this.node.setAttribute("aria-activedescendant", "row" + this.picked);
    else this.node.removeAttribute("aria-activedescendant");
  }

  select(at, opens = true) {
    if (!this.items.length) return;
    at = Math.max(0, Math.min(this.items.length - 1, at));
    this.rows.get(this.picked)?.setAttribute("aria-selected", "false");
    this.picked = at;
    const top = at * rowHeight, node = this.node;
    if (top < node.scrollTop) node.scrollTop = top;
    else if (top + rowHeight > node.scrollTop + node.clientHeight) node.scrollTop = top + rowHeight - node.clientHeight;
    this.render();
    this.rows.get(at)?.setAttribute("aria-selected", "true");
    this.pick(this.items[at], opens);
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(this.node.clientHeight / rowHeight) - 1);
    const steps = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: page, PageUp: -page, Home: -1e9, End: 1e9 };
    if (event.key in steps) { this.select(this.picked + steps[event.key], !narrow.matches); event.preventDefault(); }
    else if (event.key === "Enter" && this.picked >= 0) { this.select(this.picked); find("#detail").focus(); }
  }
}

const narrow = matchMedia("(max-width: 900px)");
const words = {
  seconds(value) {
    if (value < 0.001) return Math.round(value * 1e6) + " µs";
    if (value < 1) return (value * 1000).toFixed(value < 0.01 ? 1 : 0) + " ms";
    if (value < 60) return value.toFixed(value < 10 ? 1 : 0) + " s";
    if (value < 3600) return Math.floor(value / 60) + " min";
    if (value < 86400) return Math.floor(value / 3600) + " h " + Math.floor((value % 3600) / 60) + " min";
    return Math.floor(value / 86400) + " d";
  },
  age(since) { return since === undefined ? "" : words.seconds(Math.max(0, Math.floor(Date.now() / 1000 - since))).replace("0 µs", "now"); },
  bytes(value) {
    for (const unit of ["bytes", "KiB", "MiB", "GiB"]) {
      if (value < 1024 || unit === "GiB") return (unit === "bytes" ? value : value.toFixed(1)) + " " + unit;
      value /= 1024;
    }
  },
  time(seconds) { return new Date(seconds * 1000).toTimeString().slice(0, 8); },
  count(value) { return value.toLocaleString("en").replaceAll(",", "\u202f"); },
};

let toastTimer;
function toast(text) {
  const node = find("#toast");
  node.textContent = text; node.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { node.hidden = true; }, 4000);
}

// Resolves to whether the user confirmed.
function ask(text, action) {
  const dialog = find("#ask");
  find("p", dialog).textContent = text;
  find(".do", dialog).textContent = action;
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true }));
}

async function command(path, question, action, said) {
  if (!(await ask(question, action))) return;
  try { toast(said(await call(path, "POST"))); } catch (error) {
    toast(error.message);
    if (error.body?.excerpt) showDetail(failureView(error.body), null);
  }
  refreshAll();
}
