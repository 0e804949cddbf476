// The time axis that all waterfalls of a view share.
const phases = ["queue", "dns", "connect", "tls", "wait", "transfer"];
const endOf = (row) => row.ended ?? now();

class Axis {
  constructor(rows) {
    this.from = Math.min(...rows.map((row) => row.began));
    this.to = Math.max(...rows.map(endOf));
    if (!rows.length) this.from = this.to = now();
    this.to = Math.max(this.to, this.from + 1e-6);
  }

  static last(seconds) {
    const axis = new Axis([]);
    axis.to = now();
    axis.from = axis.to - seconds;
    return axis;
  }

  get span() { return this.to - this.from; }
  at(time) { return (time - this.from) / this.span; }
  isLike(other) { return other && Math.abs(this.from - other.from) + Math.abs(this.to - other.to) < this.span / 200; }

  // A round number of seconds, with at most four of them in the span.
  get step() {
    const rough = this.span / 4, power = 10 ** Math.floor(Math.log10(rough));
    return [1, 2, 5, 10].map((digit) => digit * power).find((step) => step >= rough);
  }

  marks() {
    const marks = make("span", { class: "marks" }), count = Math.floor(this.span / this.step);
    for (let number = 0; number <= count; number++) {
      const text = number ? "+" + words.seconds(number * this.step) : words.time(this.from);
      marks.append(make("i", { left: number * this.step / this.span * 100 + "%" }, text));
    }
    return marks;
  }

  // Leaves out the marks that have no room.
  static fit(marks) {
    let end = -4;
    for (const mark of [...marks?.children ?? []]) {
      const hasRoom = mark.offsetLeft >= end + 4 && mark.offsetLeft + mark.offsetWidth <= marks.offsetWidth;
      if (hasRoom) end = mark.offsetLeft + mark.offsetWidth; else mark.remove();
    }
  }
}

function bar(line, kind, left, width, title) {
  const from = Math.max(0, left), to = Math.min(1, left + Math.max(width, 0));
  if (to < 0 || from > 1) return;
  line.append(make("i", { class: kind, title, left: Math.min(from, 0.99) * 100 + "%", width: (to - from) * 100 + "%" }));
}

const outcomes = {
  hit: ["●", "from memory"], fetched: ["↓", "asked the API"], collapsed: ["⇊", "waited for another client's request"],
  stale: ["◐", "stale data"], answered: ["◆", "a route, the host, or an API that was passed the request"], refused: ["⊘", "refused"], failed: ["✕", "failed"],
};

// Draws the messages of a request, or the answer to a client; `only` restricts it to one message.
function waterfall(row, axis, only) {
  const said = row.side === "client" ? row.outcome ?? "" : `${row.attempts.length} messages`;
  const line = make("span", { class: "fall", role: "img",
    "aria-label": `${said}, from ${words.moment(row.began)}, ${words.seconds(endOf(row) - row.began)}` });
  if (endOf(row) < axis.from) { line.append(make("b", { class: "past" }, "◂")); return line; }
  if (row.side === "client") {
    const kind = row.error ? "failed" : row.outcome === "hit" ? "hit" : row.outcome === "stale" ? "old" : "served";
    bar(line, kind, axis.at(row.began), (row.ended - row.began) / axis.span, `${row.outcome ?? ""} ${words.seconds(row.ended - row.began)}`);
    return line;
  }
  for (const attempt of row.attempts) {
    if (only && attempt !== only) continue;
    let at = axis.at(attempt.began);
    const parts = attempt.phases ?? {};
    if (attempt.error) { bar(line, "failed", at, attempt.seconds / axis.span, attempt.error); continue; }
    const known = phases.reduce((sum, name) => sum + (parts[name] ?? 0), 0);
    if (!known) { bar(line, "wait", at, attempt.seconds / axis.span, words.seconds(attempt.seconds)); continue; }
    for (const name of phases) {
      if (!parts[name]) continue;
      bar(line, name, at, parts[name] / axis.span, `${name} ${words.seconds(parts[name])}`);
      at += parts[name] / axis.span;
    }
  }
  const last = row.attempts.at(-1);
  if (!row.ended) bar(line, "open", axis.at(last ? last.began + last.seconds : row.began), 1, "under way");
  else if (last && !only) {
    const after = last.began + last.seconds;
    bar(line, row.error ? "failed" : "after", axis.at(after), (row.ended - after) / axis.span, row.error ?? "pipeline");
  } else if (!last && !only) bar(line, row.error ? "failed" : "after", axis.at(row.began), (row.ended - row.began) / axis.span, row.error ?? "no message");
  return line;
}

const key = (names) => make("div", { class: "key" }, ...names.map((name) =>
  make("span", {}, make("i", { class: name }), { after: "pipeline", old: "stale", served: "answered" }[name] ?? name)));
