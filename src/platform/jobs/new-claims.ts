import type { ClaimedRow } from './fetch-jobs.ts';

/** A queue's worker, as far as claims that come with a statement of others concern it. */
export interface ClaimingWorker {
  readonly leaseMs: number;
  /** Keeps up to `atMost` of its free places for jobs that a statement is about to claim. Returns how many. */
  reserve(atMost: number): number;
  /** Runs the claimed jobs and frees the other places; undefined if the answer was lost, and with it which they are. */
  receive(slots: number, jobs: readonly ClaimedRow[] | undefined, leaseEnds: number): void;
}

/**
 * Lets a statement that adds jobs claim those that may run at once for this process, as far as it has free places. At rest
 * that saves the notification and the fetch; under load there are no free places, and nothing changes.
 */
export class NewClaims {
  #worker = '';
  #workers: ReadonlyMap<string, ClaimingWorker> = new Map();

  /** Called when the workers start. */
  attach(worker: string, workers: ReadonlyMap<string, ClaimingWorker>): void {
    this.#worker = worker;
    this.#workers = workers;
  }

  /**
   * Runs a statement that adds jobs by `enqueue_jobs`.
   * @param wanted how many jobs it may add to which queues.
   * @param statement gets the parameter `takers` of `enqueue_jobs`, and resolves with the jobs that it returned. It must be
   *   a transaction of its own: the jobs run at once.
   */
  async adding<Result>(
    wanted: Readonly<Record<string, number>>,
    statement: (takers: string | null) => Promise<{ result: Result; claimed: readonly ClaimedRow[] }>,
  ): Promise<Result> {
    const offers = Object.entries(wanted).flatMap(([queue, atMost]) => {
      const worker = this.#workers.get(queue);
      const slots = worker?.reserve(atMost) ?? 0;
      return worker && slots > 0
        ? [{ queue, worker, slots, leaseEnds: performance.now() + worker.leaseMs }]
        : [];
    });
    const takers = offers.map(({ queue, worker, slots }) => ({
      queue,
      slots,
      worker: this.#worker,
      lease_ms: worker.leaseMs,
    }));
    let claimed: readonly ClaimedRow[] | undefined;
    try {
      const added = await statement(takers.length > 0 ? JSON.stringify(takers) : null);
      ({ claimed } = added);
      return added.result;
    } finally {
      for (const { queue, worker, slots, leaseEnds } of offers)
        worker.receive(
          slots,
          claimed?.filter((job) => job.queue === queue),
          leaseEnds,
        );
    }
  }
}
