import type { MessageEvent, TicketEvent } from '../contract/index.ts';

/** An event as a handler tells it; its id and time are added when it is stored. */
export type NewEvent = DistributiveOmit<TicketEvent | MessageEvent, 'id' | 'occurredAt'>;

type DistributiveOmit<T, Keys extends PropertyKey> = T extends unknown ? Omit<T, Keys> : never;

/**
 * The events of one write. A handler only adds; whoever opened the transaction stores them at its end, in one go,
 * because the lanes of deliveries may be locked only once per transaction and after every row lock.
 */
export class Outbox {
  readonly events: NewEvent[] = [];

  add(event: NewEvent): void {
    this.events.push(event);
  }
}
