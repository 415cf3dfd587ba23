import { z } from 'zod';

import type { Entry, EntryOf } from '../journal.ts';
import { JOURNAL_ENTRIES } from '../limits.ts';

const range = {
  limit: z.coerce.number().int().min(1).max(JOURNAL_ENTRIES).default(200),
  /** Only entries after this id. */
  after: z.coerce.number().int().min(0).default(0),
};
const callsQuery = z.object({ method: z.string().optional(), ...range });
const deliveriesQuery = z.object(range);

/** One call of the Web API, or of a response address (`response_url`). */
type Call = Omit<EntryOf<'api_call'>, 'seq' | 'kind'> & { id: number };

interface Attempt {
  at: string;
  envelope_id: string;
  transport: 'socket' | 'http';
  connection: string;
}

/** One envelope, with every attempt to deliver it. */
interface Delivery {
  /** Of the newest entry about it, for `after`. */
  id: number;
  delivery: number;
  type: string;
  event?: string;
  event_id?: string;
  state: 'waiting' | 'acked' | 'dropped';
  attempts: Attempt[];
  /** Milliseconds from the last attempt to its acknowledgement. */
  ack_ms?: number;
  ack_payload?: unknown;
  /** The reason of the last failed attempt. */
  reason?: string;
  /** The faults that were applied to it. */
  faults: string[];
}

/** The calls and deliveries in the journal, as far back as it reaches. */
export interface CallLog {
  /** Newest last. */
  calls(query?: z.input<typeof callsQuery>): Call[];
  /** By their last activity, newest last. */
  deliveries(query?: z.input<typeof deliveriesQuery>): Delivery[];
}

export function createCallLog(recent: () => readonly Entry[]): CallLog {
  return {
    calls(query = {}) {
      const { method, limit, after } = callsQuery.parse(query);
      return recent()
        .filter((entry) => entry.kind === 'api_call')
        .filter((entry) => entry.seq > after && (method === undefined || entry.method === method))
        .slice(-limit)
        .map(({ seq, kind: _kind, ...call }) => ({ id: seq, ...call }));
    },
    deliveries(query = {}) {
      const { limit, after } = deliveriesQuery.parse(query);
      return deliveriesOf(recent())
        .filter(({ id }) => id > after)
        .slice(-limit);
    },
  };
}

function deliveriesOf(entries: readonly Entry[]): Delivery[] {
  const found = new Map<number, Delivery>();
  for (const entry of entries) {
    if (!('delivery' in entry)) continue;
    const { delivery, seq, event } = entry;
    const one: Delivery = found.get(delivery) ?? {
      id: seq,
      delivery,
      type: 'events_api',
      state: 'waiting',
      attempts: [],
      faults: [],
    };
    one.id = seq;
    if (event !== undefined) one.event = event;
    follow(one, entry);
    // The newest is last.
    found.delete(delivery);
    found.set(delivery, one);
  }
  return [...found.values()];
}

function follow(one: Delivery, entry: EntryOf<'envelope' | 'ack' | 'unacked' | 'fault'>): void {
  if (entry.kind === 'fault') {
    one.faults.push(entry.fault);
    return;
  }
  if (entry.event_id !== undefined) one.event_id = entry.event_id;
  switch (entry.kind) {
    case 'envelope':
      one.type = entry.type;
      one.attempts.push({
        at: entry.at,
        envelope_id: entry.envelope_id,
        transport: entry.connection === 'http' ? 'http' : 'socket',
        connection: entry.connection,
      });
      return;
    case 'ack':
      one.state = 'acked';
      one.ack_ms = entry.ms;
      one.ack_payload = entry.payload;
      return;
    case 'unacked':
      one.reason = entry.reason;
      if (entry.next === 'dropped') one.state = 'dropped';
      return;
  }
}
