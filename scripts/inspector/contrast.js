// The texts of the page whose contrast with what is below them is less than 4.5 (WCAG 2.2, 1.4.3).
(() => {
  const parse = (text) => { const n = text.match(/[\d.]+/g).map(Number); return [...n.slice(0, 3), n[3] ?? 1]; };
  const light = (c) => { const [r, g, b] = c.slice(0, 3).map((v) => { v /= 255; return v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; });
    return .2126 * r + .7152 * g + .0722 * b; };
  const over = (top, below) => top.slice(0, 3).map((v, at) => v * top[3] + below[at] * (1 - top[3])).concat(1);
  const colour = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const resolve = (text) => { if (/^rgb/.test(text)) return parse(text); colour.clearRect(0, 0, 1, 1); colour.fillStyle = text; colour.fillRect(0, 0, 1, 1);
    const d = colour.getImageData(0, 0, 1, 1).data; return [d[0], d[1], d[2], d[3] / 255]; };
  const low = new Map();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const node = walk.currentNode.parentElement;
    if (!walk.currentNode.textContent.trim() || !node.checkVisibility() || node.tagName === "OPTION") continue;
    const layers = [];
    for (let at = node; at; at = at.parentElement) layers.push(resolve(getComputedStyle(at).backgroundColor));
    const back = layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255, 1]);
    const front = over(resolve(getComputedStyle(node).color), back);
    const [a, b] = [light(front), light(back)].sort((x, y) => y - x);
    const ratio = (a + .05) / (b + .05);
    if (ratio < 4.5) low.set(node.tagName + "." + node.className, ratio.toFixed(2) + " " + walk.currentNode.textContent.trim().slice(0, 20));
  }
  return [...low].join("; ");
})()
