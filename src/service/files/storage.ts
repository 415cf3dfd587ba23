import type { Range } from '../../platform/http/index.ts';
import type { HeldBytes } from './upload-places.ts';

/** The bytes of a file, which every file with the same ones shares. */
export interface Content {
  /** SHA-256 in hexadecimal. */
  hash: string;
  size: number;
}

/** Bytes that were read. */
export interface Written extends Content {
  /** A few bytes that `keep` is to store; absent where they are stored already. */
  held?: readonly Buffer[];
}

/** Where the bytes of files are: in Postgres, or one day in a bucket. Nothing else knows. */
export interface FileStorage {
  /**
   * Stores bytes as they arrive, with constant memory; the same bytes are kept once. A few bytes are returned instead,
   * for `keep`. Nothing stays of a stream that fails, whose error is thrown.
   * @param keptFrom when the content was last needed, for `removeUnused`.
   * @param held counts the bytes that it holds; those that it returns are still counted.
   */
  write(
    workspaceId: string,
    bytes: AsyncIterable<Buffer>,
    keptFrom: Date,
    held?: HeldBytes,
  ): Promise<Written>;
  /**
   * Stores the bytes that `write` held, together. Not in the transaction of their files: that one notifies, and while
   * the disk takes its bytes no other transaction that notifies could commit.
   */
  keep(workspaceId: string, written: readonly Written[], keptFrom: Date): Promise<void>;
  /** Reads a stored content as it is consumed. Throws if it is removed meanwhile. */
  read(workspaceId: string, hash: string, range?: Range): AsyncGenerator<Buffer>;
  /** Removes contents that no file has and that were last needed before an instant; returns how many. */
  removeUnused(before: Date, signal?: AbortSignal): Promise<number>;
}
