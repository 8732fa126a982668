// Draws the diagrams of a page in the colours of the chosen scheme.
"use strict";
const diagrams = [...document.querySelectorAll("pre.diagram")].map(block => [block, block.textContent]);
let drawn = Promise.resolve();

async function draw() {
  const dark = document.body.dataset.mdColorScheme === "slate";
  mermaid.initialize({ startOnLoad: false, theme: dark ? "dark" : "default", look: "classic", layout: "dagre" });
  for (const [number, [block, source]] of diagrams.entries())
    block.innerHTML = (await mermaid.render(`diagram${number}`, source)).svg;
}

function redraw() {
  drawn = drawn.then(draw); // one after the other: they share their names
}

new MutationObserver(redraw).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
redraw();
