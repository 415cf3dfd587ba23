import type { PGlite } from '@electric-sql/pglite';

/** What is in a file: its beginning, of a length of its own. */
type Bytes = Uint8Array | Int8Array;

/** A file or folder in the memory of Emscripten. */
interface FileNode {
  contents?: Bytes | Record<string, FileNode> | null;
  usedBytes?: number;
  mounted?: { root: FileNode } | null;
}

/** The program that PGlite is, as Emscripten runs it: its memory, and the files that are kept outside of it. */
interface Running {
  HEAPU8: Uint8Array;
  FS: {
    root: FileNode;
    nameTable: (FileNode | undefined)[];
    streams: ({ shared: object } | null)[];
  };
}

/**
 * A database as it once was: PGlite's memory, its files, and which of them are open. To go back to that takes a small part of
 * the time in which another one opens, and what Postgres had planned by then it need not plan again.
 */
export class Image {
  readonly lite: PGlite;
  readonly #libraries: string;
  readonly #memory: Uint8Array;
  readonly #nodes: readonly { node: FileNode; was: FileNode }[];
  readonly #names: Running['FS']['nameTable'];
  readonly #streams: readonly ({ stream: object; was: object; shared: object } | null)[];

  private constructor(lite: PGlite, libraries: string) {
    const { HEAPU8, FS } = runningIn(lite);
    this.lite = lite;
    this.#libraries = libraries;
    this.#memory = withoutEmptyEnd(HEAPU8);
    this.#nodes = nodesBelow(FS.root).map((node) => ({ node, was: copyOf(node) }));
    this.#names = [...FS.nameTable];
    this.#streams = FS.streams.map(
      (stream) => stream && { stream, was: { ...stream }, shared: { ...stream.shared } },
    );
  }

  /** Keeps what a database is now, while no transaction is open. */
  static async of(lite: PGlite): Promise<Image> {
    return new Image(lite, await librariesOf(lite));
  }

  /**
   * Lets the database be what it was, while no transaction is open. Rejects if Postgres has loaded a library since: that would
   * stay, without its memory.
   */
  async restore(): Promise<void> {
    const libraries = await librariesOf(this.lite);
    if (libraries !== this.#libraries)
      throw new Error(`Postgres has loaded a library: it has ${libraries}, and had ${this.#libraries}`);
    // It may have got more memory since, which is another buffer.
    const { HEAPU8, FS } = runningIn(this.lite);
    HEAPU8.set(this.#memory);
    HEAPU8.fill(0, this.#memory.length);
    for (const { node, was } of this.#nodes) Object.assign(node, copyOf(was));
    FS.nameTable.splice(0, FS.nameTable.length, ...this.#names);
    const streams = this.#streams.map(
      (open) => open && Object.assign(open.stream, { ...open.was, shared: { ...open.shared } }),
    );
    FS.streams.splice(0, FS.streams.length, ...streams);
  }
}

const runningIn = ({ Module }: PGlite) => Module as unknown as Running;

async function librariesOf(lite: PGlite): Promise<string> {
  const { rows } = await lite.query<{ file_name: string }>(
    'select file_name from pg_get_loaded_modules() order by file_name',
  );
  return rows.map(({ file_name }) => file_name).join(', ');
}

function nodesBelow(node: FileNode): FileNode[] {
  if (node.mounted) return [node, ...nodesBelow(node.mounted.root)];
  const { contents } = node;
  if (!contents || isBytes(contents)) return [node];
  return [node, ...Object.values(contents).flatMap(nodesBelow)];
}

/** What is in a file is written in place. */
function copyOf(node: FileNode): FileNode {
  const { contents, usedBytes } = node;
  if (contents && isBytes(contents)) return { ...node, contents: contents.slice(0, usedBytes) };
  return contents ? { ...node, contents: { ...contents } } : { ...node };
}

const isBytes = (contents: NonNullable<FileNode['contents']>): contents is Bytes =>
  ArrayBuffer.isView(contents);

function withoutEmptyEnd(memory: Uint8Array): Uint8Array {
  let length = memory.length;
  while (length > 0 && memory[length - 1] === 0) length -= 1;
  return memory.slice(0, length);
}
