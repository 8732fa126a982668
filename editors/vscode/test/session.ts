/** A client without VS Code: the real server, started as the extension starts it. */

import { type ChildProcess, spawn } from "node:child_process";
import { pathToFileURL } from "node:url";
import {
  createProtocolConnection,
  DidOpenTextDocumentNotification,
  ExitNotification,
  InitializedNotification,
  type InitializeParams,
  InitializeRequest,
  type InitializeResult,
  type ProtocolConnection,
  PublishDiagnosticsNotification,
  type PublishDiagnosticsParams,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver-protocol/node";
import { type Command, SELECTOR, serverCommand } from "../src/settings";

/** The contributions of the extension, as VS Code reads them. */
export const MANIFEST = require("../../package.json");

/** The values that the settings have by default. */
export function defaults(): { path: string; arguments: string[] } {
  const properties = MANIFEST.contributes.configuration.properties;
  return { path: properties["olympus-lint.path"].default, arguments: properties["olympus-lint.arguments"].default };
}

/** The command of the settings by default, with the program under test. */
export function command(): Command {
  return serverCommand({ ...defaults(), path: process.env.OLYMPUS_LINT ?? defaults().path }, undefined);
}

export class Session {
  private constructor(
    private readonly process: ChildProcess,
    readonly connection: ProtocolConnection,
    readonly server: InitializeResult,
    private readonly found: (uri: string) => Promise<PublishDiagnosticsParams>,
  ) {}

  static async start(folder: string): Promise<Session> {
    const { command: program, args } = command();
    const child = spawn(program, args, { cwd: folder, stdio: ["pipe", "pipe", "inherit"] });
    const connection = createProtocolConnection(
      new StreamMessageReader(child.stdout!),
      new StreamMessageWriter(child.stdin!),
    );
    const shown = new Map<string, PublishDiagnosticsParams>();
    const waiting = new Map<string, (params: PublishDiagnosticsParams) => void>();
    connection.onNotification(PublishDiagnosticsNotification.type, (params) => {
      shown.set(params.uri, params);
      waiting.get(params.uri)?.(params);
    });
    connection.listen();
    const uri = pathToFileURL(folder).href;
    const params: InitializeParams = {
      processId: process.pid,
      rootUri: uri,
      workspaceFolders: [{ uri, name: "test" }],
      capabilities: {
        textDocument: {
          publishDiagnostics: { relatedInformation: true, tagSupport: { valueSet: [1, 2] } },
          hover: { contentFormat: ["markdown", "plaintext"] },
          codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ["", "quickfix", "source"] } } },
        },
      },
    };
    const server = await connection.sendRequest(InitializeRequest.type, params);
    await connection.sendNotification(InitializedNotification.type, {});
    const found = (each: string) =>
      new Promise<PublishDiagnosticsParams>((resolve) => {
        const known = shown.get(each);
        known === undefined ? waiting.set(each, resolve) : resolve(known);
      });
    return new Session(child, connection, server, found);
  }

  /** Open a file of the languages that the extension selects; return what is found in it. */
  async open(file: string, text: string): Promise<PublishDiagnosticsParams> {
    const uri = pathToFileURL(file).href;
    const textDocument = { uri, languageId: SELECTOR[0].language, version: 1, text };
    await this.connection.sendNotification(DidOpenTextDocumentNotification.type, { textDocument });
    return this.found(uri);
  }

  /** Stop the server; return its exit status. */
  async stop(): Promise<number | null> {
    const ended = new Promise<number | null>((resolve) => this.process.on("exit", resolve));
    await this.connection.sendRequest(ShutdownRequest.type);
    await this.connection.sendNotification(ExitNotification.type);
    const status = await ended;
    this.connection.dispose();
    return status;
  }
}
