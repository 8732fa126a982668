/** The lineage of a key or the signature of a function, as lines to choose from. Nothing here needs VS Code. */

/** A line of a lineage; `row` is where it leads, from 0. */
export interface Step {
  readonly label: string;
  readonly row?: number;
}

/** What the server knows of the key or function at a place. */
export interface Lineage {
  readonly title: string;
  readonly steps: readonly Step[];
}

/** The answer to a request for a hover, as far as it is read here. */
export interface Hover {
  readonly contents: unknown;
}

/** Read the lineage in the server's text on hover; `undefined` if it knows nothing of the place. */
export function lineageOf(hover: Hover | null): Lineage | undefined {
  const contents = hover?.contents as { value?: unknown } | undefined;
  if (typeof contents?.value !== "string") {
    return undefined;
  }
  const [title, ...lines] = contents.value.split("\n").filter((line) => line.trim() !== "");
  return { title: plain(title), steps: lines.map(step) };
}

function step(line: string): Step {
  const label = plain(line.replace(/^- /, ""));
  const place = /^line (\d+): /.exec(label);
  return place === null ? { label } : { label, row: Number(place[1]) - 1 };
}

function plain(markdown: string): string {
  return markdown.replaceAll("**", "").replaceAll("`", "");
}
