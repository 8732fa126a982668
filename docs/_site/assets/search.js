// A field over each searchable table: rows stay whose words, or whose section, have what is written in it.
"use strict";
for (const place of document.querySelectorAll(".searchable")) {
  const rows = [...place.querySelectorAll("tbody tr")].map(row => [row, `${row.textContent} ${section(row)}`.toLowerCase()]);
  const label = "Search the table, and the sections below that it leads to";
  const field = Object.assign(document.createElement("input"), { type: "search", placeholder: label, ariaLabel: label });
  field.addEventListener("input", () => {
    const wanted = field.value.toLowerCase();
    for (const [row, text] of rows) row.hidden = !text.includes(wanted);
  });
  place.prepend(field);
}

function section(row) {
  const heading = document.getElementById(row.querySelector("a").hash.slice(1));
  let text = "";
  for (let next = heading.nextElementSibling; next && !/^H[1-3]$/.test(next.tagName); next = next.nextElementSibling)
    text += next.textContent;
  return text;
}
