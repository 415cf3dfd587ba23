/** Thrown by a handler: its work is tried again later, and the rest of the lane waits behind it. */
export class RetryLater extends Error {
  override readonly name = 'RetryLater';
  /** Milliseconds; undefined: as long as the attempts so far suggest. */
  readonly afterMs: number | undefined;
  /** False if it only waits for its turn (a rate limit): that says nothing about the work. */
  readonly countsAttempt: boolean;

  constructor(reason: string, options: { afterMs?: number; cause?: unknown; countsAttempt?: boolean } = {}) {
    super(reason, { cause: options.cause });
    this.afterMs = options.afterMs;
    this.countsAttempt = options.countsAttempt ?? true;
  }
}

/** During an upgrade, what a process does not know is left to newer ones for that long. */
const LEFT_TO_NEWER_MS = 60 * 60_000;
/** Meanwhile it is offered again that often. */
const OFFERED_AGAIN_MS = 5_000;

/** Thrown by a handler: its work can never succeed. It becomes a dead letter with this reason, and the lane goes on. */
export class GiveUp extends Error {
  override readonly name = 'GiveUp';
  /** The kind of failure, for programs. */
  readonly code: string | undefined;

  constructor(reason: string, options: { cause?: unknown; code?: string | undefined } = {}) {
    super(reason, { cause: options.cause });
    this.code = options.code;
  }
}

/**
 * Returns what follows from work that this version does not know: a newer process that runs beside it, during an
 * upgrade, takes it. If none has for an hour, it is given up.
 * @param waitedMs since it was added (`Work.waitedMs`).
 */
export function leaveToNewer(reason: string, waitedMs: number): RetryLater | GiveUp {
  if (waitedMs >= LEFT_TO_NEWER_MS) return new GiveUp(reason);
  return new RetryLater(reason, { afterMs: OFFERED_AGAIN_MS, countsAttempt: false });
}

/** This process no longer has the lane: another one has claimed it, or its work was moved. Nothing was written. */
export class LaneLost extends Error {
  override readonly name = 'LaneLost';

  constructor(lane: string) {
    super(`this process no longer has the lane ${lane}`);
  }
}

/** Returns an error in one line, as it is stored with its work. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.name === 'Error' ? error.message : `${error.name}: ${error.message}`;
}
