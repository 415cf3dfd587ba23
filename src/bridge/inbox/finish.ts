import { sql } from 'kysely';

import type { Db, Tx } from '../../platform/database/open.ts';
import {
  type ClaimedRow,
  type Completed,
  completedBy,
  type EndedRow,
  type Ending,
  endingRow,
  type NewJob,
  RetryLater,
  tracedPayload,
} from '../../platform/jobs/index.ts';
import { messageKey } from '../slack/ids.ts';
import type { PlannedPost, StoredPost } from '../outbox/outbox.ts';
import { turnOfReply } from '../outbox/turn.ts';
import type { Budget } from '../slack/limits.ts';
import type { InboundLink, NewLink } from '../threads/messages.ts';
import type { BridgeTables } from '../schema/tables.ts';
import type { StoredJson } from './stored-event.ts';

/** What is recorded with the end of an event. */
export interface Added {
  /** A message that was added to its ticket. */
  link?: InboundLink | undefined;
  /** What is to be posted of a ticket's changes. */
  planned?: Planned | undefined;
  /** Added unless one waits. */
  notice?: NewJob | undefined;
  /** Added if the ticket is read in direct messages, too (B27). */
  mirror?: NewJob | undefined;
}

export interface Planned {
  links: readonly NewLink[];
  posts: readonly PlannedPost[];
  /** The conversations that show the ticket's messages up to this instant of the service. */
  applied: { until: string; conversations: readonly string[] } | undefined;
}

/** An event whose work is done. */
export interface Finishing {
  /** The stored event; null if there is none. */
  event: string | null;
  outcome: string;
  /** A conversation that had no ticket at the start: if it has one now, the event is not finished. */
  untitled: string | null;
  added: Added;
  /** Its job. */
  ending: Ending;
}

/** The next event of the conversation comes with its job. */
type Row = { place: number } & ((EndedRow & { stored: StoredJson | null }) | { ended: 'gained' });

/** Resolves when an event is recorded as finished, with those that finish at the same time. */
export type FinishEvent = (finishing: Finishing) => Promise<Row | undefined>;

/** The end of some events. */
interface Finished {
  /** A row for each event of which the claim holds. */
  rows: (Row | undefined)[];
  /** The jobs that were claimed with it, and their posts. */
  claimed: readonly ClaimedRow[];
  posts: readonly StoredPost[];
}

/**
 * Records events as finished and ends their jobs, in one statement.
 * @param offer the workers that may claim jobs of the planned posts, for `enqueue_jobs`, and the rate limits under which
 *   these are sent.
 */
export async function finishEvents(
  db: Db<BridgeTables>,
  events: readonly Finishing[],
  at: Date,
  offer?: { takers: string | null; budgets: readonly Budget[] },
): Promise<Finished> {
  const asJson = (job: NewJob | undefined) =>
    job && { ...job, payload: JSON.stringify(tracedPayload(job.payload)) };
  const input = events.map(({ event, outcome, untitled, added, ending }, place) => {
    const { link, notice, mirror, planned } = added;
    return {
      place,
      claim: endingRow(ending),
      event,
      outcome: outcome.toWellFormed(),
      untitled,
      link,
      lock: link && messageKey({ team: link.team_id, channel: link.channel_id, ts: link.ts }),
      notice: asJson(notice),
      mirror: asJson(mirror),
      planned: planned && {
        links: planned.links,
        posts: planned.posts.map((post) => ({
          ...post,
          payload: JSON.stringify(tracedPayload({ outbox: post.id })),
          turn: offer?.takers && post.kind === 'post' ? turnOfReply(post, offer.budgets) : null,
        })),
        ...planned.applied,
      },
    };
  });
  const { rows } = await sql<Row & { claimed: ClaimedRow[] | null; posts: StoredPost[] | null }>`
    select * from finish_events(${JSON.stringify(input)}, ${at}, ${offer?.takers ?? null})`.execute(db);
  const byPlace = new Map(rows.map((row) => [row.place, row]));
  return {
    rows: events.map((_, place) => byPlace.get(place)),
    claimed: rows.flatMap(({ claimed }) => claimed ?? []),
    posts: rows.flatMap(({ posts }) => posts ?? []),
  };
}

/**
 * Locks a conversation that had no ticket.
 * @throws RetryLater if it has one now.
 */
export async function checkUntitled(tx: Tx<BridgeTables>, id: string): Promise<void> {
  const conversation = await tx
    .selectFrom('conversation')
    .select('ticket_id')
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (conversation?.ticket_id !== null) throw gainedTicket();
}

/**
 * @throws RetryLater if its thread was given a ticket meanwhile.
 * @throws LeaseLost if another worker has the job.
 */
export function completedOf(ending: Ending, row: Row | undefined): Completed {
  if (row?.ended === 'gained') throw gainedTicket();
  return completedBy(ending, row, row?.stored);
}

/** A copy of a card was recorded (B26), which has only finished events handled again. */
const gainedTicket = () =>
  new RetryLater('its thread was given a ticket just now', { afterMs: 0, countAttempt: false });
