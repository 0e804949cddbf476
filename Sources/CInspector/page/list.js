// A table that only has the rows in view.
const rowHeight = 30;
class VirtualList {
  constructor(table, node, space) {
    Object.assign(this, { table, node, space, rows: new Map(), items: [], picked: -1, draw: null, pick: () => {}, key: (item) => item, look: () => false });
    node.addEventListener("scroll", () => this.render());
    new ResizeObserver(() => this.render()).observe(node);
    node.addEventListener("click", (event) => {
      const row = event.target.closest(".row");
      if (row && !getSelection().toString()) this.select(Number(row.dataset.at));
    });
  }

  show(items, draw, pickedKey, isReset) {
    if (isReset) { this.clear(); this.node.scrollTop = 0; }
    Object.assign(this, { items, draw });
    this.picked = pickedKey === undefined ? -1 : items.findIndex((item) => this.key(item) === pickedKey);
    this.space.style.height = items.length * rowHeight + "px";
    this.table.setAttribute("aria-rowcount", items.length + 1);
    this.clear();
    this.render();
  }

  clear() { for (const row of this.rows.values()) row.remove(); this.rows.clear(); }

  // The rows that are visible, for the time axis.
  get inView() {
    const first = Math.floor(this.node.scrollTop / rowHeight);
    return this.items.slice(first, Math.ceil((this.node.scrollTop + this.node.clientHeight) / rowHeight));
  }

  render() {
    if (!this.draw) return;
    if (this.look(this.inView)) this.clear();
    const first = Math.max(0, Math.floor(this.node.scrollTop / rowHeight) - 4);
    const last = Math.min(this.items.length, Math.ceil((this.node.scrollTop + this.node.clientHeight) / rowHeight) + 4);
    for (const [at, row] of this.rows) if (at < first || at >= last) { row.remove(); this.rows.delete(at); }
    for (let at = first; at < last; at++) {
      if (this.rows.has(at)) continue;
      const cells = this.draw(this.items[at]);
      cells.forEach((cell, column) => { cell.setAttribute("role", "gridcell"); cell.setAttribute("aria-colindex", column + 1); });
      const row = make("div", { class: "row", role: "row", id: "row" + at, "data-at": at, "aria-rowindex": at + 2,
        "aria-selected": String(at === this.picked) }, ...cells);
      row.style.top = at * rowHeight + "px";
      this.rows.set(at, row);
      this.node.append(row);
    }
    if (this.rows.has(this.picked)) this.table.setAttribute("aria-activedescendant", "row" + this.picked);
    else this.table.removeAttribute("aria-activedescendant");
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

  // Whether the key is one of the list.
  press(key) {
    const page = Math.max(1, Math.floor(this.node.clientHeight / rowHeight) - 1);
    const steps = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: page, PageUp: -page, Home: -1e9, End: 1e9 };
    if (key in steps) this.select(this.picked + steps[key], !narrow.matches);
    else if (key === "Enter" && this.picked >= 0) { this.select(this.picked); find("#detail").focus(); }
    else return false;
    return true;
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
  age(since) { return since === undefined ? "" : words.seconds(Math.max(0, Math.floor(now() - since))).replace("0 µs", "now"); },
  bytes(value) {
    for (const unit of ["B", "KiB", "MiB", "GiB"]) {
      if (value < 1024 || unit === "GiB") return (unit === "B" ? value : value.toFixed(1)) + " " + unit;
      value /= 1024;
    }
  },
  time(seconds) { return new Date(seconds * 1000).toTimeString().slice(0, 8); },
  moment(seconds) { return words.time(seconds) + "." + String(Math.floor(seconds * 1000 % 1000)).padStart(3, "0"); },
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
  refreshStatus(); refreshResources();
}
