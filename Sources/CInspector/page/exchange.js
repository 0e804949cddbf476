// The messages of a request with headers and bodies, and copies of it for other programs.
const exchanges = (request) =>
  call(`exchanges?request=${request.id}` + (request.worker ? `&worker=${request.worker}` : "")).then((answer) => answer.exchanges);

async function copy(text, what) {
  try { await navigator.clipboard.writeText(text); toast(`copied as ${what}`); } catch {
    const node = make("pre", { class: "copied", tabindex: "0" }, text);
    find("#detail .acts").after(node);
    getSelection().selectAllChildren(node);
    toast("The browser doesn't let this page copy: the text is marked.");
  }
}

// The last message is the one that the answer belongs to.
async function copyRequest(request, name, what) {
  try {
    const last = (await exchanges(request)).at(-1);
    if (last[name]) copy(last[name], what); else toast(`There is no ${what} for this request.`);
  } catch (error) { toast(error.message); }
}

const copyActs = (request) => make("div", { class: "acts" },
  make("button", { title: "c", onclick: () => copyRequest(request, "curl", "curl") }, "Copy as curl"),
  make("button", { title: "d", onclick: () => copyRequest(request, "definition", "definition") }, "Copy as definition"));

function headerList(fields) {
  return make("table", { class: "fields" }, make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "Header"), make("th", { scope: "col" }, "Value"))),
    make("tbody", {}, ...fields.map(([name, value]) => make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, value)))));
}

function bodyView(body) {
  const size = body.size === undefined ? "" : words.bytes(body.size);
  if (body.text === undefined) return make("p", { class: "dim" }, `Not shown: ${body.reason ?? "it is empty"}. ${size}`);
  let text = body.text;
  if (!body.cut && /json/.test(body.type ?? "")) try { text = JSON.stringify(JSON.parse(text), null, 2); } catch { /* shown as it came */ }
  return make("div", {}, make("pre", {}, text), make("p", { class: "dim" }, body.cut ? `The beginning of ${size}.` : ""));
}

function part(name, isOpen, ...content) {
  return make("details", isOpen ? { open: true } : {}, make("summary", {}, name), ...content);
}

function exchangeView(exchange, attempt, isLast) {
  const answer = exchange.answer, type = (body) => body?.type ? ` · ${body.type}` : "";
  return make("div", { class: "block" }, make("b", {}, `${exchange.number}. ${exchange.method} ${exchange.url}`),
    attempt ? attemptFacts(attempt) : null,
    part(`Sent headers (${exchange.headers.length})`, false, headerList(exchange.headers)),
    exchange.body ? part("Sent body" + type(exchange.body), isLast, bodyView(exchange.body)) : null,
    answer ? part(`Answer's headers (${answer.headers.length})`, false, headerList(answer.headers)) : null,
    answer?.body ? part("Answer's body" + type(answer.body), isLast, bodyView(answer.body)) : null);
}

const attemptFacts = (attempt) => facts(["Answer", attempt.status ? `${attempt.status} HTTP/${attempt.http_version}` : undefined], ["Error", attempt.message],
  ["Phase", attempt.phase], ["Connection", attempt.status ? attempt.reused ? "used before" : "new" : undefined],
  ["From", attempt.remote_address],
  ["Received", attempt.bytes_received === undefined ? undefined : words.bytes(attempt.bytes_received)],
  ["Sent", attempt.bytes_sent ? words.bytes(attempt.bytes_sent) : undefined]);

// Shows what is known at once, then what the host kept of headers and bodies.
function messages(request) {
  const node = make("div", {}, ...request.attempts.map((attempt) =>
    make("div", { class: "block" }, make("b", {}, `${attempt.number}. ${attempt.method} ${attempt.url}`), attemptFacts(attempt))));
  if (request.attempts.length) {
    exchanges(request).then((all) => node.replaceChildren(...all.map((exchange, at) =>
      exchangeView(exchange, request.attempts.find((attempt) => attempt.began === exchange.began), at === all.length - 1))))
      .catch((error) => node.prepend(make("p", { class: "dim" }, error.message)));
  }
  return node;
}

// The requests of the other side that ran at the same time, for the same service.
function meanwhile(row) {
  const others = [...(row.side === "client" ? store.requests : store.clients).values()].filter((other) =>
    other.began < endOf(row) + 0.001 && endOf(other) > row.began - 0.001
    && (other.service === row.service || !store.services.includes(row.service) || !store.services.includes(other.service)));
  if (!others.length) return [];
  const axis = new Axis([row, ...others.slice(0, 20)]);
  return [make("h3", {}, row.side === "client" ? "Requests to APIs meanwhile" : "Clients that waited meanwhile"),
    lane("this", waterfall(row, axis), endOf(row) - row.began),
    ...others.slice(0, 20).map((other) => lane(make("button", { class: "plain", title: other.url, onclick: () => opens.requests(other) },
      `${other.method} ${other.url.replace(/^https?:\/\/[^/]*/, "")}`), waterfall(other, axis), endOf(other) - other.began))];
}
