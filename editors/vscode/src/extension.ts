/** The extension: one server, its status, its commands. What can be said without VS Code stands in the other modules. */

import * as vscode from "vscode";
import { CloseAction, ErrorAction, LanguageClient, RevealOutputChannelOn, State as ClientState } from "vscode-languageclient/node";
import { type Hover, lineageOf, type Step } from "./lineage";
import { type Command, ID, needsRestart, SELECTOR, serverCommand, type Settings } from "./settings";
import { type State, statusOf, whyFailed } from "./status";

/** A client that leaves it to the extension to say why a server does not start, and does not try that again. */
class Client extends LanguageClient {
  private hasRun = false;
  private readonly crashes = this.createDefaultErrorHandler();

  constructor(command: Command, folder: string | undefined, outputChannel: vscode.LogOutputChannel) {
    super(
      ID,
      { ...command, options: { cwd: folder } },
      {
        documentSelector: SELECTOR,
        outputChannel,
        revealOutputChannelOn: RevealOutputChannelOn.Never,
        initializationFailedHandler: () => false,
        errorHandler: {
          error: () => ({ action: ErrorAction.Continue, handled: true }),
          closed: () => (this.hasRun ? this.crashes.closed() : { action: CloseAction.DoNotRestart, handled: true }),
        },
      },
    );
    this.onDidChangeState(({ newState }) => (this.hasRun ||= newState === ClientState.Running));
  }

  override error(message: string, data?: unknown, shows?: boolean | "force"): void {
    super.error(message, data, this.hasRun && shows);
  }
}

class Server {
  private client: Client | undefined;
  private readonly output = vscode.window.createOutputChannel("olympus-lint", { log: true });
  private readonly status = vscode.languages.createLanguageStatusItem(ID, SELECTOR);
  /** Starts and stops follow each other: a client that starts cannot be stopped. */
  private last: Promise<void> = Promise.resolve();

  constructor() {
    this.status.name = "olympus-lint";
    this.status.command = { command: `${ID}.showOutput`, title: "Output" };
  }

  restart(): Promise<void> {
    return (this.last = this.last.then(() => this.stopped()).then(() => this.started()));
  }

  async dispose(): Promise<void> {
    await (this.last = this.last.then(() => this.stopped()));
    this.status.dispose();
    this.output.dispose();
  }

  showOutput(): void {
    this.output.show();
  }

  /** Show what the server knows of the key or function under the cursor, and go to the line that is chosen. */
  async showLineage(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined || this.client?.state !== ClientState.Running) {
      void vscode.window.showInformationMessage("olympus-lint does not run, or no file is open.");
      return;
    }
    const { document, selection } = editor;
    const place = this.client.code2ProtocolConverter.asTextDocumentPositionParams(document, selection.active);
    const lineage = lineageOf(await this.client.sendRequest<Hover | null>("textDocument/hover", place));
    if (lineage === undefined) {
      void vscode.window.showInformationMessage("No key and no function with keys is known under the cursor.");
      return;
    }
    const chosen = await vscode.window.showQuickPick<Step & vscode.QuickPickItem>([...lineage.steps], {
      title: lineage.title,
    });
    if (chosen?.row !== undefined) {
      const { range } = document.lineAt(chosen.row);
      await vscode.window.showTextDocument(document, { selection: range, viewColumn: editor.viewColumn });
    }
  }

  private async started(): Promise<void> {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    const command = serverCommand(vscode.workspace.getConfiguration(ID) as unknown as Settings, folder);
    this.show({ kind: "starting" });
    const client = new Client(command, folder, this.output);
    this.client = client;
    client.onDidChangeState(({ newState }) => {
      if (newState === ClientState.Running) {
        this.show({ kind: "running", version: client.initializeResult?.serverInfo?.version });
      } else if (newState === ClientState.Stopped && this.client === client) {
        this.show({ kind: "stopped" });
      }
    });
    try {
      await client.start();
    } catch {
      this.client = undefined;
      await this.failed(command, folder);
    }
  }

  private async failed(command: Command, folder: string | undefined): Promise<void> {
    const reason = await whyFailed(command, folder);
    this.show({ kind: "failed", reason });
    this.output.error(reason);
    const settings = "Open Settings";
    void vscode.window.showErrorMessage(`olympus-lint: ${reason}`, settings).then((chosen) => {
      if (chosen === settings) {
        void vscode.commands.executeCommand("workbench.action.openSettings", ID);
      }
    });
  }

  private async stopped(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    await client?.dispose().catch(() => undefined); // one that has ended by itself is stopped already
  }

  private show(state: State): void {
    const { text, detail, isBusy, isError } = statusOf(state);
    this.status.text = text;
    this.status.detail = detail;
    this.status.busy = isBusy;
    this.status.severity = isError ? vscode.LanguageStatusSeverity.Error : vscode.LanguageStatusSeverity.Information;
  }
}

let server: Server | undefined;

/** Start the server, and register the commands. */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const started = (server = new Server());
  context.subscriptions.push(
    vscode.commands.registerCommand(`${ID}.restart`, () => started.restart()),
    vscode.commands.registerCommand(`${ID}.showOutput`, () => started.showOutput()),
    vscode.commands.registerCommand(`${ID}.showLineage`, () => started.showLineage()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (needsRestart((name) => event.affectsConfiguration(name))) {
        void started.restart();
      }
    }),
  );
  await started.restart();
}

/** Stop the server. */
export async function deactivate(): Promise<void> {
  await server?.dispose();
}
