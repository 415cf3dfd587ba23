import type { MessageEvent, TicketEvent } from '../contract/index.ts';
import type { NewJob } from '../platform/lanes/index.ts';

/** An event as a handler tells it; its id and time are added when it is stored. */
export type NewEvent = DistributiveOmit<TicketEvent | MessageEvent, 'id' | 'occurredAt'>;

type DistributiveOmit<T, Keys extends PropertyKey> = T extends unknown ? Omit<T, Keys> : never;

/**
 * What follows from one write: its events, and jobs. A handler only adds; whoever opened the transaction stores them at
 * its end, in one go, because lanes may be locked only once per transaction and after every row lock.
 */
export class Outbox {
  readonly events: NewEvent[] = [];
  readonly jobs: NewJob[] = [];

  add(event: NewEvent): void {
    this.events.push(event);
  }

  enqueue(job: NewJob): void {
    this.jobs.push(job);
  }
}
