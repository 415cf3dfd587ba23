import { StartError } from '../lifecycle.ts';

export type EmbeddedPostgresReason =
  | 'unsupported-platform'
  | 'missing-package'
  | 'cannot-run'
  | 'not-writable'
  | 'no-directory'
  | 'disk-full'
  | 'other-version'
  | 'failed';

const WAY_OUT = 'or set DATABASE_URL to a Postgres server (15 or newer).';

/** The embedded database cannot be used here. The message says what is wrong and what to do. */
export class EmbeddedPostgresError extends StartError {
  override readonly name = 'EmbeddedPostgresError';
  readonly reason: EmbeddedPostgresReason;

  /** `problem` and `remedy` without a full stop: the message reads `problem: remedy, or set DATABASE_URL …`. */
  constructor(
    reason: EmbeddedPostgresReason,
    problem: string,
    remedy: string,
    options?: { cause?: unknown },
  ) {
    super(`${problem}: ${remedy}, ${WAY_OUT}`, options);
    this.reason = reason;
  }
}

/** Returns the error for output of a Postgres program, or for a file operation that failed while preparing `place`. */
export function describeFailure(
  what: string,
  place: string,
  text: string,
  cause?: unknown,
): EmbeddedPostgresError {
  // These programs report nothing but text; it is English because they run with LC_ALL=C.
  if (/No space left on device|ENOSPC|EDQUOT|Disk quota exceeded/.test(text))
    return new EmbeddedPostgresError(
      'disk-full',
      `${what}: the disk with ${place} is full`,
      'free some space and restart',
      { cause },
    );
  if (/Permission denied|Read-only file system|EACCES|EPERM|EROFS/.test(text))
    return new EmbeddedPostgresError(
      'not-writable',
      `${what}: this user cannot write to ${place}`,
      'set DATA_DIR to a directory you own',
      { cause },
    );
  return new EmbeddedPostgresError(
    'failed',
    `${what} in ${place} (${lastLine(text)})`,
    'fix that and restart',
    { cause },
  );
}

/** Returns the most relevant line: the last FATAL or error, else the last one. */
function lastLine(text: string): string {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const worst = lines.findLast((line) => /FATAL|PANIC|error:/i.test(line)) ?? lines.at(-1);
  return worst?.replace(/^.*?(FATAL|PANIC|error):\s*/i, '') ?? 'no reason given';
}
