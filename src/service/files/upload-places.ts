import type { Caller } from '../handler.ts';
import { ServiceProblem } from '../problem.ts';

/**
 * Uploads in flight: of one person, of one API key (the bridge has at most eight), and of a process. One upload takes
 * minutes on a slow line, and holds up to half a megabyte of each of its files.
 */
const AT_ONCE = { person: 6, key: 16, process: 64 } as const;
/** Seconds after which a refused upload may be sent again. */
const AGAIN_SECONDS = 2;
/**
 * Bytes of small files that a process holds until their request ends, so that they are stored with one statement.
 * Beyond them each upload stores what it has as it arrives.
 */
const HELD_BYTES = 32 * 1024 ** 2;

/** The place of an upload that was admitted. */
export interface UploadPlace {
  leave(): void;
}

/** The bytes that uploads of a process hold together. */
export interface HeldBytes {
  /** Counts bytes that are held, or, negative, no more. */
  add(bytes: number): void;
  /** Whether as little as possible should be held in memory. */
  readonly isFull: boolean;
}

/** Counts the uploads of a process. */
export class UploadPlaces {
  readonly #running = new Map<string, number>();
  #all = 0;
  #held = 0;

  readonly held: HeldBytes = (() => {
    const count = (bytes: number) => (this.#held += bytes);
    const isFull = () => this.#held >= HELD_BYTES;
    return {
      add: (bytes: number) => void count(bytes),
      get isFull() {
        return isFull();
      },
    };
  })();

  /** @throws 429 if the caller has too many uploads in flight, 503 if the process has; before any byte is read. */
  enter({ personId, keyId, session }: Pick<Caller, 'personId' | 'keyId' | 'session'>): UploadPlace {
    const [who, most] = session
      ? [`person ${personId ?? ''}`, AT_ONCE.person]
      : [`key ${keyId ?? ''}`, AT_ONCE.key];
    const running = this.#running.get(who) ?? 0;
    if (running >= most)
      throw new ServiceProblem(
        'TOO_MANY_REQUESTS',
        `${most} of your uploads are running, so this one was not stored. Send it again when one of them has ended.`,
        undefined,
        undefined,
        AGAIN_SECONDS,
      );
    if (this.#all >= AT_ONCE.process)
      throw new ServiceProblem(
        'SERVICE_UNAVAILABLE',
        'Too many uploads are running, so this one was not stored. Send it again in a moment.',
        undefined,
        undefined,
        AGAIN_SECONDS,
      );
    this.#running.set(who, running + 1);
    this.#all++;
    return {
      leave: () => {
        this.#all--;
        const left = (this.#running.get(who) ?? 1) - 1;
        if (left > 0) this.#running.set(who, left);
        else this.#running.delete(who);
      },
    };
  }
}
