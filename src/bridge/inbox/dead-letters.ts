import { sql } from 'kysely';

import type { Clock } from '../../platform/clock.ts';
import { type Database, openDatabase, transaction, type Tx } from '../../platform/database/open.ts';
import { Engine } from '../../platform/engine/index.ts';
import type { Running } from '../../platform/lifecycle.ts';
import type { Log } from '../../platform/log.ts';
import { SCHEMA } from '../bridge.ts';
import { type ChatPlace, eventKey } from '../slack/ids.ts';
import type { BridgeTables } from '../schema/tables.ts';
import { endCopies } from '../store/file-copies.ts';
import { type BridgeEngine, COPY, COPY_LARGE, EVENT, PERSONAL_EVENT, SEND } from '../work.ts';

interface DeadLetterItem {
  id: number;
  class: string;
  /** The work, without message text. */
  what: string;
  reason: string;
  deadAt: Date;
}

/** The bridge's dead letters, for operators (B49). */
interface DeadLetters extends Running {
  list(): Promise<DeadLetterItem[]>;
  /** Retries dead letters in their original order. Returns how many. */
  retry(which: number[] | 'all'): Promise<number>;
  /** Discards dead letters with everything that depends on them. Returns how many. */
  discard(which: number[] | 'all'): Promise<number>;
}

/** The work of a command contains the text and a response URL, which are not shown. */
const UNSHOWN = new Set(['title', 'description', 'responseUrl']);
const withoutWords = (key: string, value: unknown) =>
  UNSHOWN.has(key) && typeof value === 'string' ? '…' : value;

export async function openDeadLetters(
  databaseUrl: string,
  log: Log,
  clock: Clock,
  schema = SCHEMA,
): Promise<DeadLetters> {
  const database = openDatabase<BridgeTables>({ url: databaseUrl, schema, log, poolSize: 2 });
  const engine: BridgeEngine = new Engine({ database, log, slots: {} });
  const idsOf = async (which: number[] | 'all') =>
    which === 'all' ? (await engine.deadLetters()).map(({ id }) => id) : which;
  return {
    list: async () =>
      (await engine.deadLetters()).map(({ id, class: ofClass, kind, body, reason, deadAt }) => ({
        id,
        class: ofClass,
        what: `${kind} ${JSON.stringify(body, withoutWords)}`,
        reason,
        deadAt,
      })),
    retry: (which) => engine.retryDeadLetters(which),
    discard: async (which) => engine.discardDeadLetters(await giveUp(database, clock, await idsOf(which))),
    stop: () => database.close(),
  };
}

/**
 * Ends the rows of dead letters before their work is discarded; repeating it changes nothing. A post takes its failed
 * edits with it; the status reaction of a message goes; a file of a message stays a link.
 * @returns the work to discard.
 */
async function giveUp({ db }: Database<BridgeTables>, clock: Clock, which: number[]): Promise<number[]> {
  return transaction(db, async (tx) => {
    const { rows: dead } = await sql<{
      id: number;
      inbox: string | null;
      outbox: string | null;
      copies: string[] | null;
    }>`
      with named as (
        select id, kind, body from work where dead_at is not null and id = any(${which}::bigint[])
      ), posts as (
        select outbox.link_id as link from named join outbox on outbox.id = named.body ->> 'outbox'
        where named.kind = ${SEND.name} and outbox.kind = 'post'
      )
      select id, ${bodyOf(EVENTS, 'inbox')} as inbox, ${bodyOf([SEND.name], 'outbox')} as outbox,
        ${bodyOf(COPIES, 'copies')}::json as copies from work
      where dead_at is not null and (id in (select id from named) or ${bodyOf([SEND.name], 'outbox')} in (
        select id from outbox where kind in ('edit', 'delete') and link_id in (select link from posts)))`.execute(
      tx,
    );
    await endEvents(
      tx,
      dead.flatMap(({ inbox }) => inbox ?? []),
      clock.now(),
    );
    await endPosts(
      tx,
      dead.flatMap(({ outbox }) => outbox ?? []),
      clock.now(),
    );
    await leaveLinks(
      tx,
      dead.flatMap(({ copies }) => copies ?? []),
      clock.now(),
    );
    return dead.map(({ id }) => id);
  });
}

const EVENTS = [EVENT.name, PERSONAL_EVENT.name];
const COPIES = [COPY.name, COPY_LARGE.name];

/** The body of other kinds may have what Postgres cannot read as JSON. */
const bodyOf = (kinds: readonly string[], field: string) =>
  sql`case when work.kind = any(${kinds}::text[]) then work.body ->> ${field} end`;

/** The place of a message stands in its events' keys: Postgres cannot read a body with a NUL in it as JSON. */
async function endEvents(tx: Tx<BridgeTables>, ids: readonly string[], now: Date): Promise<void> {
  await sql`
    delete from delivery_status using inbox
    where inbox.id = any(${ids}::text[]) and split_part(event_key, ':', 1) in ('message', 'reaction')
      and channel_id = split_part(event_key, ':', 3) and ts = split_part(event_key, ':', 4)`.execute(tx);
  await sql`
    update inbox set done_at = ${now}, outcome = 'discarded: ' || coalesce(work.error, '')
    from work
    where inbox.id = any(${ids}::text[]) and inbox.done_at is null
      and dead_at is not null and ${bodyOf(EVENTS, 'inbox')} = inbox.id`.execute(tx);
}

async function endPosts(tx: Tx<BridgeTables>, ids: readonly string[], now: Date): Promise<void> {
  await sql`
    update message_link set deleted = true from outbox
    where outbox.id = any(${ids}::text[]) and outbox.kind = 'post' and message_link.id = link_id
      and message_link.ts is null`.execute(tx);
  await sql`
    update outbox set state = 'dropped', sent_at = ${now}
    where id = any(${ids}::text[]) and state = 'dead'`.execute(tx);
}

/** Files that are not copied stay links. */
async function leaveLinks(tx: Tx<BridgeTables>, ids: readonly string[], now: Date): Promise<void> {
  const waiting = await tx
    .selectFrom('file_copy')
    .select('id')
    .where('id', '=', sql<string>`any(${[...ids]}::text[])`)
    .where('state', '=', 'waiting')
    .execute();
  await endCopies(
    tx,
    waiting.map(({ id }) => ({ id, state: 'linked' })),
    now,
  );
}

/** The dead letters of a message’s events. */
export async function deadLettersOf(
  { database }: { database: Database<BridgeTables> },
  place: ChatPlace,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select work.id from work join inbox on inbox.id = ${bodyOf(EVENTS, 'inbox')}
    where dead_at is not null and inbox.source = 'chat'
      and (inbox.event_key in (${eventKey.message(place)}, ${eventKey.deletion(place)})
        or starts_with(inbox.event_key, ${eventKey.edits(place)})
        or starts_with(inbox.event_key, ${eventKey.reactions(place)}))
    order by work.id`.execute(database.db);
  return rows.map(({ id }) => id);
}
