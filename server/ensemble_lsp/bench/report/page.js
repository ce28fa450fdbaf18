"use strict";
// Sorts and filters the table of cases. Without it the page holds everything all the same.
(() => {
  const table = document.getElementById("cases");
  if (!table) return;
  const tools = document.getElementById("tools");
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const words = document.getElementById("filter");
  const which = document.getElementById("which");
  const shown = document.getElementById("shown");
  tools.hidden = false;

  const wanted = (row) =>
    row.dataset.words.includes(words.value.trim().toLowerCase()) &&
    (which.value === "all" || row.dataset.kind.split(" ").includes(which.value));

  const filter = () => {
    let count = 0;
    for (const row of rows) {
      row.hidden = !wanted(row);
      if (!row.hidden) count += 1;
    }
    shown.textContent = `${count} of ${rows.length} cases`;
  };

  const key = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.rank === undefined ? cell.textContent : Number(cell.dataset.rank);
  };

  const sort = (head) => {
    const column = head.cellIndex;
    const turned = head.getAttribute("aria-sort") === "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", turned ? "descending" : "ascending");
    const order = (a, b) => (typeof a === "number" ? a - b : a.localeCompare(b, undefined, { numeric: true }));
    const sorted = [...rows].sort((a, b) => order(key(a, column), key(b, column)) * (turned ? -1 : 1));
    body.append(...sorted);
  };

  words.addEventListener("input", filter);
  which.addEventListener("change", filter);
  for (const button of table.tHead.querySelectorAll("button")) {
    button.addEventListener("click", () => sort(button.closest("th")));
  }
  filter();
})();
