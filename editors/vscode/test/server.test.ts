/** What the extension asks of the server, asked of the real one. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { type CodeAction, CodeActionRequest, HoverRequest, type PublishDiagnosticsParams } from "vscode-languageserver-protocol/node";
import { lineageOf } from "../src/lineage";
import { statusOf } from "../src/status";
import { Session } from "./session";

const CODE = `import jax


def step(key, x):
    first, second = jax.random.split(key)
    noise = jax.random.normal(first, x.shape)
    return noise + jax.random.uniform(first, x.shape), second
`;

let folder: string;
let file: string;
let session: Session;
let found: PublishDiagnosticsParams;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "olympus-"));
  file = join(folder, "model.py");
  session = await Session.start(folder);
  found = await session.open(file, CODE);
});

after(async () => {
  assert.equal(await session.stop(), 0);
  rmSync(folder, { recursive: true });
});

test("the status shows the version of the server", () => {
  const { name, version } = session.server.serverInfo ?? {};
  assert.equal(name, "olympus-lint");
  assert.match(statusOf({ kind: "running", version }).text, /^olympus-lint \d+\.\d+\.\d+$/);
});

test("a file has its findings, with the other place", () => {
  const { diagnostics } = found;
  assert.deepEqual(diagnostics.map(({ code, range }) => [code, range.start.line]), [["OLY104", 6]]);
  assert.equal(diagnostics[0].relatedInformation?.[0].location.range.start.line, 5);
});

test("a finding has its fix", async () => {
  const { diagnostics, uri } = found;
  const params = { textDocument: { uri }, range: diagnostics[0].range, context: { diagnostics } };
  const actions = (await session.connection.sendRequest(CodeActionRequest.type, params)) as CodeAction[];
  assert.ok(actions.some(({ edit, kind }) => kind === "quickfix" && edit?.changes?.[uri]));
});

/** The lineage at the first place of a word in a line, which is counted from 0. */
async function lineageAt(line: number, word: string) {
  const character = CODE.split("\n")[line].indexOf(word);
  const params = { textDocument: { uri: pathToFileURL(file).href }, position: { line, character } };
  return lineageOf(await session.connection.sendRequest(HoverRequest.type, params));
}

test("the lineage of a key has its identity, the lines that make it and those that consume it", async () => {
  const lineage = await lineageAt(5, "first");
  assert.equal(lineage?.title, "Key first: split(param(step, key))[0]");
  assert.deepEqual(lineage.steps.map(({ row }) => row), [3, 4, 5, 6]);
  assert.equal(lineage.steps[1].label, "line 5: first, made by split");
  assert.match(lineage.steps[2].label, /^line 6: consumed by .*normal/);
});

test("a key that nothing consumes has its lineage", async () => {
  const lineage = await lineageAt(4, "second");
  assert.equal(lineage?.title, "Key second: split(param(step, key))[1]");
  assert.deepEqual(lineage.steps.map(({ row }) => row), [3, 4, undefined]);
});

test("the lineage of a function is its signature", async () => {
  const lineage = await lineageAt(3, "step");
  assert.equal(lineage?.title, "Key signature of step");
  assert.ok(lineage.steps.some(({ label }) => label === "consumes key"));
});

test("nothing is known of what is no key", async () => {
  assert.equal(await lineageAt(0, "import"), undefined);
});
