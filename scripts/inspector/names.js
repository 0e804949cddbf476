// Rows that don't match their column names, and elements without a name, for screen readers.
(() => {
  const faults = [];
  for (const grid of document.querySelectorAll("[role=grid]")) {
    if (!grid.checkVisibility()) continue;
    const heads = [...grid.querySelectorAll("[role=columnheader]")];
    if (!grid.getAttribute("aria-label") || !heads.length) faults.push("a grid without names");
    if (heads.some((head) => !head.textContent.trim())) faults.push("an empty head");
    for (const row of grid.querySelectorAll(".row")) {
      const cells = row.querySelectorAll(":scope > [role=gridcell]").length;
      if (row.getAttribute("role") !== "row" || cells !== heads.length || cells !== row.children.length) faults.push("a row of " + cells);
    }
  }
  for (const table of document.querySelectorAll("table")) {
    if (!table.checkVisibility()) continue;
    const heads = table.querySelectorAll("thead th[scope=col]");
    if ([...heads].some((head) => !head.textContent.trim())) faults.push("an empty head of a table");
    for (const row of table.querySelectorAll("tbody tr")) if (row.children.length !== heads.length) faults.push("a table's row");
  }
  for (const node of document.querySelectorAll("button, select, input")) {
    if (node.checkVisibility() && !(node.getAttribute("aria-label") || node.closest("label") || node.textContent.trim())) faults.push(node.outerHTML);
  }
  return [...new Set(faults)].join("; ");
})()
