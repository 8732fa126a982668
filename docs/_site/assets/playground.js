// The playground: code on the left, its findings on the right, and the address carries both the code and the choice.
"use strict";
(async () => {
  const folder = document.currentScript.src;
  const place = document.querySelector(".playground");
  place.innerHTML = `
    <form>
      <select name="example" aria-label="Example"><option value="">Examples of the rules</option></select>
      <select name="rules" aria-label="Rules">
        <option value="">The default rules</option><option value="all">All rules</option>
      </select>
      <output aria-live="polite"></output>
    </form>
    <div class="halves"><textarea aria-label="Code" spellcheck="false" autocapitalize="off"></textarea><div class="findings"></div></div>`;
  const { example, rules } = place.querySelector("form").elements;
  const [code, said, findings] = ["textarea", "output", ".findings"].map(each => place.querySelector(each));
  const worker = new Worker(new URL("playground-worker.js", folder), { type: "module" });
  let number = 0, waiting;

  worker.onmessage = ({ data }) => {
    if (data.number !== number) return; // the code has changed since
    said.textContent = data.problem || "";
    if (!data.problem) findings.innerHTML = data.html;
  };
  worker.onerror = () => { said.textContent = "Python could not be started."; };

  async function check() {
    said.textContent = findings.innerHTML ? "…" : "Starting Python: 13 MB, the first time";
    worker.postMessage({ number: ++number, text: code.value, everything: rules.value === "all" });
    const told = new URLSearchParams({ code: await packed(code.value), ...(rules.value && { rules: rules.value }) });
    history.replaceState(null, "", `#${told}`);
  }

  async function read() {
    const told = new URLSearchParams(location.hash.slice(1));
    if (!told.has("code")) return false;
    rules.value = told.get("rules") || "";
    code.value = await unpacked(told.get("code")).catch(() => "# The address of this page is damaged: it holds no code.\n");
    return true;
  }

  function choose(chosen) {
    code.value = chosen.source;
    rules.value = chosen.on ? "" : "all";
    check();
  }

  // The heading of a finding, or Enter on it, selects its line in the code.
  function select(event) {
    const { target, type, key } = event;
    const card = type === "click" ? target.closest("h2")?.parentElement : key === "Enter" && target.closest("article");
    const [, row] = card && /:(\d+):\d+$/.exec(card.querySelector("h2 code").textContent) || [];
    if (!row) return;
    event.preventDefault(); // else Enter would be written into the code
    const lines = code.value.split("\n"), before = lines.slice(0, row - 1).map(line => line + "\n").join("").length;
    code.setSelectionRange(before, before + lines[row - 1].length);
    code.focus();
  }

  for (const way of ["click", "keydown"]) findings.addEventListener(way, select);
  code.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(check, 300);
  });
  rules.addEventListener("change", check);
  const examples = await (await fetch(new URL("examples.json", folder))).json();
  for (const each of examples) example.add(new Option(`${each.code} ${each.name}`, each.code));
  example.addEventListener("change", () => {
    const chosen = examples.find(each => each.code === example.value);
    if (chosen) choose(chosen);
  });
  addEventListener("hashchange", async () => { if (await read()) check(); });
  if (await read()) check();
  else choose(examples.find(each => each.code === "OLY104"));

  async function through(bytes, stream) {
    return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
  }

  async function packed(text) {
    const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
    const letters = btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(""));
    return letters.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  }

  async function unpacked(letters) {
    const bytes = Uint8Array.from(atob(letters.replaceAll("-", "+").replaceAll("_", "/")), each => each.charCodeAt(0));
    return new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw")));
  }
})();
