/** What the settings say, and the options of the client. Nothing here needs VS Code. */

import { homedir } from "node:os";

/** The identifier of the client: the beginning of all settings and commands. */
export const ID = "olympus-lint";

/** The files that the server checks. It announces the notebooks that it checks itself. */
export const SELECTOR = [{ scheme: "file", language: "python" }];

/** The settings that start a server. */
export interface Settings {
  readonly path: string;
  readonly arguments: readonly string[];
}

/** A program with its arguments. */
export interface Command {
  readonly command: string;
  readonly args: string[];
}

/** Return the program that the settings name; `folder` is the first folder of the workspace. */
export function serverCommand(settings: Settings, folder: string | undefined): Command {
  const filled = (text: string) => text.replaceAll("${workspaceFolder}", () => folder ?? ".");
  const path = filled(settings.path.trim() || ID).replace(/^~(?=$|[/\\])/, homedir);
  return { command: path, args: settings.arguments.map(filled) };
}

/** Return whether a change of settings concerns the server that runs. */
export function needsRestart(isAffected: (name: string) => boolean): boolean {
  return isAffected(`${ID}.path`) || isAffected(`${ID}.arguments`);
}
