/** The settings, the status and the manifest. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { needsRestart, serverCommand } from "../src/settings";
import { statusOf, whyFailed } from "../src/status";
import { command, defaults, MANIFEST } from "./session";

const SOURCE = readFileSync(join(__dirname, "../../src/extension.ts"), "utf8");

test("the settings by default start the server", () => {
  assert.deepEqual(serverCommand(defaults(), "/project"), { command: "olympus-lint", args: ["--server"] });
});

test("a path may start at the workspace or at home", () => {
  const args = { arguments: ["-m", "${workspaceFolder}/tool"] };
  assert.deepEqual(serverCommand({ ...args, path: "${workspaceFolder}/.venv/bin/python" }, "/a/$&"), {
    command: "/a/$&/.venv/bin/python",
    args: ["-m", "/a/$&/tool"],
  });
  assert.equal(serverCommand({ ...args, path: "~/bin/tool" }, undefined).command, `${homedir()}/bin/tool`);
  assert.equal(serverCommand({ ...args, path: "~user/tool" }, undefined).command, "~user/tool");
  assert.equal(serverCommand({ ...args, path: " " }, undefined).command, "olympus-lint");
});

test("the server starts again for its own settings only", () => {
  assert.ok(needsRestart((name) => name === "olympus-lint.path"));
  assert.ok(needsRestart((name) => name === "olympus-lint.arguments"));
  assert.ok(!needsRestart((name) => name === "olympus-lint.trace.server"));
});

test("the status of each state", () => {
  assert.deepEqual(statusOf({ kind: "running", version: undefined }).text, "olympus-lint");
  assert.ok(statusOf({ kind: "starting" }).isBusy);
  assert.ok(!statusOf({ kind: "stopped" }).isError);
  const failed = statusOf({ kind: "failed", reason: "why" });
  assert.ok(failed.isError && failed.detail === "why");
});

test("a program that is not there is named, with the way to install it", async () => {
  const reason = await whyFailed({ command: "/no/such/olympus-lint", args: ["--server"] }, undefined);
  assert.match(reason, /^`\/no\/such\/olympus-lint` was not found\. Install it with `pip install 'olympus-lint\[server\]'`/);
});

test("what the program says itself is the reason", async () => {
  assert.match(await whyFailed({ command: command().command, args: ["--serve-r"] }, undefined), /--serve-r/);
});

test("a program that says nothing and ends is no server", async () => {
  const reason = await whyFailed({ command: process.execPath, args: ["-e", "process.exit(3)"] }, undefined);
  assert.match(reason, /ended with status 3 and speaks no language server protocol/);
});

test("each command of the manifest is registered, and each is in the manifest", () => {
  const listed = MANIFEST.contributes.commands.map(({ command }: { command: string }) => command);
  const registered = [...SOURCE.matchAll(/registerCommand\(`\$\{ID\}\.(\w+)`/g)].map(([, name]) => `olympus-lint.${name}`);
  assert.deepEqual(registered.sort(), listed.sort());
});
