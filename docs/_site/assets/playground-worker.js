// Runs the linter in Python in a worker, so that the page stays alive while it works.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const own = name => fetch(new URL(name, import.meta.url));

async function started() {
  const [python, program, glue] = await Promise.all([loadPyodide(), own("program.zip"), own("playground.py")]);
  python.unpackArchive(await program.arrayBuffer(), "zip", { extractDir: "/program" });
  python.runPython("import sys; sys.path.insert(0, '/program')");
  python.runPython(await glue.text());
  return python.globals.get("checked");
}

const checked = started();
onmessage = async ({ data: { number, text, everything } }) => {
  try {
    postMessage({ number, html: (await checked)(text, everything) });
  } catch (error) {
    postMessage({ number, problem: String(error) });
  }
};
