import type { MessageEvent, TicketEvent } from '../contract/index.ts';
import type { NewWork } from '../platform/engine/index.ts';

/** An event as a handler adds it; its id and time are set when it is stored. */
export type NewEvent = DistributiveOmit<TicketEvent | MessageEvent, 'id' | 'occurredAt'>;

type DistributiveOmit<T, Keys extends PropertyKey> = T extends unknown ? Omit<T, Keys> : never;

/** The words of messages are only in the events of messages, where an erasure finds them. */
function withoutWords(event: NewEvent): NewEvent {
  return event.type === 'Ticket' ? { ...event, data: { ...event.data, lastReply: undefined } } : event;
}

/** The events of a write, and the work that it plans. Handlers only add; the transaction stores both at its end. */
export class Outbox {
  readonly events: NewEvent[] = [];
  readonly work: NewWork[] = [];
  /** Others may read a ticket or queue than before. */
  areReadersNew = false;
  /** The workflows whose runs led to this write, the first one first. */
  chain: readonly string[] = [];
  /** The user in whose name a key writes. */
  actorId: string | null = null;
  /** Events of what a reply changed of its ticket: whoever hears of the reply need not hear of that too. */
  readonly ofReplies = new Set<NewEvent>();

  add(event: NewEvent, { isOfReply = false } = {}): void {
    const added = withoutWords(event);
    this.events.push(added);
    if (isOfReply) this.ofReplies.add(added);
  }

  plan(work: NewWork): void {
    this.work.push(work);
  }
}
