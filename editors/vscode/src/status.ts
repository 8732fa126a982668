/** What is shown of the state of the server. Nothing here needs VS Code. */

import { spawn } from "node:child_process";
import type { Command } from "./settings";

/** The state of a server; one that has failed says why. */
export type State =
  | { readonly kind: "starting" | "stopped" }
  | { readonly kind: "running"; readonly version: string | undefined }
  | { readonly kind: "failed"; readonly reason: string };

/** The line about a server in the status of a language. */
export interface Status {
  readonly text: string;
  readonly detail: string;
  readonly isBusy: boolean;
  readonly isError: boolean;
}

/** Return what is shown of a state. */
export function statusOf(state: State): Status {
  switch (state.kind) {
    case "starting":
      return { text: "olympus-lint", detail: "starting", isBusy: true, isError: false };
    case "running":
      return { text: `olympus-lint ${state.version ?? ""}`.trim(), detail: "running", isBusy: false, isError: false };
    case "stopped":
      return { text: "olympus-lint", detail: "stopped", isBusy: false, isError: false };
    case "failed":
      return { text: "olympus-lint", detail: state.reason, isBusy: false, isError: true };
  }
}

/** Find out why a server does not start: start it again without input, and read what it says. */
export function whyFailed({ command, args }: Command, folder: string | undefined, limit = 20_000): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: folder, stdio: ["ignore", "ignore", "pipe"], signal: AbortSignal.timeout(limit) });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
    child.on("error", (error: NodeJS.ErrnoException) =>
      resolve(
        error.code === "ENOENT"
          ? `\`${command}\` was not found. Install it with \`pip install 'olympus-lint[server]'\`, or name it in the setting \`olympus-lint.path\`.`
          : `\`${command}\` could not be started: ${error.message}`,
      ),
    );
    child.on("close", (code) => {
      const last = said.trim().split("\n").at(-1);
      resolve(last || `\`${[command, ...args].join(" ")}\` ended with status ${code} and speaks no language server protocol.`);
    });
  });
}
