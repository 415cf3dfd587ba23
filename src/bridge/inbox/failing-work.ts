import { AsyncLocalStorage } from 'node:async_hooks';

import { ServiceError } from '../../client/index.ts';
import { BYTE_ROUTES, routes } from '../../contract/index.ts';
import { GiveUp, RetryLater } from '../../platform/engine/index.ts';
import type { Done, Work } from '../work.ts';
import { codeOf, GIVE_UP_TRIES, originalOf } from './classify.ts';

/** Before so many of the failures the service must have done other work: one success may be chance. */
const BESIDE_OTHERS = 3;
/** Pieces of work whose failures are remembered. */
const REMEMBERED = 1_000;

/** An operation that the service has done. */
export interface DoneOperation {
  /** Such as `POST /tickets`. */
  operation: string;
  writes: boolean;
}

/** What must succeed for others before a failure is that of the work alone: this operation, any write, or anything. */
type Evidence = string;
const ANY_WRITE: Evidence = 'a write';
const ANYTHING: Evidence = 'anything';

/** The words and files of people: an outage of these operations alone gives none of them up. */
const BRING_IN: ReadonlySet<string> = new Set(
  [
    routes.createTicket,
    routes.createTicketMessage,
    BYTE_ROUTES.uploadFile,
    BYTE_ROUTES.uploadTicketFile,
    BYTE_ROUTES.uploadMessageFiles,
  ].map(({ method, path }) => `${method} ${path}`),
);

function evidenceFor(operation: string): Evidence {
  if (BRING_IN.has(operation)) return operation;
  return operation.startsWith('GET ') ? ANYTHING : ANY_WRITE;
}

/** How often each was done. */
class Counts {
  readonly #counts = new Map<Evidence, number>();

  add({ operation, writes }: DoneOperation): void {
    for (const one of [operation, ANYTHING, ...(writes ? [ANY_WRITE] : [])])
      this.#counts.set(one, this.of(one) + 1);
  }

  of(evidence: Evidence): number {
    return this.#counts.get(evidence) ?? 0;
  }
}

/** The failures of a piece of work in a row. */
interface Failures {
  evidence: Evidence;
  count: number;
  /** Those before which the service did other work, since the failure before. */
  besideOthers: number;
  /** How often the service had done by the last one what is the evidence. */
  done: number;
}

/**
 * Gives up work at which the service fails in a way that may last (`mayLast`) as often in a row as a post is tried, while
 * it does other work: it would block its lane for ever (B49). An outage gives nothing up, as then the service does
 * nothing else. All of this is counted in this process alone: after a restart, work gets all of its tries again.
 */
export class FailingWork {
  readonly #done = new Counts();
  /** What the service has done for the attempt that runs. */
  readonly #own = new AsyncLocalStorage<Counts>();
  readonly #failures = new Map<number, Failures>();

  recordDone(done: DoneOperation): void {
    this.#done.add(done);
    this.#own.getStore()?.add(done);
  }

  /** Does a piece of work. Throws its error, or GiveUp instead of it. */
  async limit({ id }: Pick<Work<unknown>, 'id'>, work: () => Promise<Done>): Promise<Done> {
    const before = this.#failures.get(id);
    this.#failures.delete(id);
    const own = new Counts();
    try {
      return await this.#own.run(own, work);
    } catch (error) {
      const cause = lastingError(error);
      if (!cause) throw error;
      const failures = this.#count(evidenceFor(cause.operation), own, before);
      if (failures.count >= GIVE_UP_TRIES && failures.besideOthers >= BESIDE_OTHERS)
        throw new GiveUp(`the service fails at it again and again (${cause.message})`, {
          cause: error,
          code: codeOf(cause),
        });
      this.#remember(id, failures);
      throw error;
    }
  }

  #count(evidence: Evidence, own: Counts, before: Failures | undefined): Failures {
    const done = this.#done.of(evidence);
    if (before?.evidence !== evidence) return { evidence, count: 1, besideOthers: 0, done };
    const byOthers = done - before.done - own.of(evidence);
    return {
      evidence,
      count: before.count + 1,
      besideOthers: before.besideOthers + (byOthers > 0 ? 1 : 0),
      done,
    };
  }

  #remember(id: number, failures: Failures): void {
    this.#failures.set(id, failures);
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > REMEMBERED && oldest !== undefined) this.#failures.delete(oldest);
  }
}

function lastingError(error: unknown): ServiceError | undefined {
  const original = originalOf(error);
  const cause = original instanceof RetryLater ? original.cause : original;
  return cause instanceof ServiceError && cause.mayLast ? cause : undefined;
}
