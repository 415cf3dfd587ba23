import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';

import { type NewWork, workFor, workKind } from '../../platform/engine/index.ts';
import type { ServiceDb } from '../handler.ts';
import { indexLeft } from '../search/index/indexing.ts';
import { fold, readWords } from '../search/reader.ts';
import { CLASSES, type ServiceEngine } from '../work.ts';
import { type Erased, isWhole, NOBODY } from './erased.ts';
import { withoutPerson } from './event-body.ts';

// The record of an erased person is gone at once; this work replaces the copies of their name that other records hold.
// It changes no `updatedAt` and emits no event, like a change of a name.

const ErasedBody = z.object({
  workspaceId: z.string(),
  personId: z.string(),
  names: z.array(z.string()),
  addresses: z.array(z.string()),
});
const ERASURE = workKind('erasure', CLASSES.erasure, ErasedBody);

export function copiesWork(erased: Erased): NewWork {
  return workFor(ERASURE, erased.personId, erased);
}

export function workErasures(engine: ServiceEngine, db: ServiceDb): void {
  engine.handle(ERASURE, {
    work: async ({ id, body: erased, signal }) => {
      // Every step may be repeated, so a process that stops in between loses nothing.
      for (const step of [
        eraseFromTickets,
        eraseFromActivity,
        eraseFromMessages,
        eraseFromFiles,
        eraseFromChat,
        eraseFromSearch,
        eraseFromEvents,
        eraseFromRuns,
      ])
        await step(db, erased, signal);
      return {
        outcome: 'erased',
        // The names are here, too.
        write: async (tx) => {
          await tx.updateTable('work').set({ body: null }).where('id', '=', id).execute();
        },
      };
    },
  });
}

type Step = (db: ServiceDb, erased: Erased, signal: AbortSignal) => Promise<void>;

/** Title and description: mentions, and the requester where a template put them into the title. */
const eraseFromTickets: Step = async (db, { workspaceId, personId, names, addresses }, signal) => {
  const pattern = anyWordOf([...names, ...addresses]);
  for await (const range of ranges(db, 'ticket', workspaceId, signal))
    await sql`
      update ticket set description = ${withoutMention('description', personId)},
        title = regexp_replace(title, ${pattern}, ${NOBODY.name}, 'g')
      where ${range} and (description like ${mention(personId)} or requester_id = ${personId} and exists (
        select from request_type r where r.workspace_id = ticket.workspace_id and r.id = request_type_id
          and r.title_template like '%requester%'))`.execute(db);
};

/** Earlier titles, where a template put the requester into them. */
const eraseFromActivity: Step = async (db, { workspaceId, personId, names, addresses }, signal) => {
  const replaced = (column: string) =>
    sql`regexp_replace(${sql.ref(column)}, ${anyWordOf([...names, ...addresses])}, ${NOBODY.name}, 'g')`;
  for await (const range of ranges(db, 'ticket_activity', workspaceId, signal))
    await sql`
      update ticket_activity set old_value = ${replaced('old_value')}, new_value = ${replaced('new_value')}
      where ${range} and field = 'title' and exists (
        select from ticket t where t.workspace_id = ticket_activity.workspace_id and t.id = ticket_id
          and t.requester_id = ${personId})`.execute(db);
};

/** A message that no person wrote; and one of them on a ticket of the person, which may greet them by a single name. */
const isOfProgram = sql`(author_id is null or exists (
  select from person p where p.workspace_id = ticket_message.workspace_id and p.id = author_id and p.is_bot))`;
const isToThem = (personId: string) => sql`${isOfProgram} and exists (
  select from ticket t where t.workspace_id = ticket_message.workspace_id and t.id = ticket_id
    and t.requester_id = ${personId})`;

/** Mentions in all messages, and in those that are not sent yet, and names in those that no person wrote. */
const eraseFromMessages: Step = async (db, { workspaceId, personId, names }, signal) => {
  await sql`update scheduled_reply set content = ${withoutMention('content', personId)}
    where workspace_id = ${workspaceId} and content like ${mention(personId)}`.execute(db);
  const [whole, single] = [
    anyWordOf(names.filter(isWhole)),
    anyWordOf(names.filter((name) => !isWhole(name))),
  ];
  for await (const range of ranges(db, 'ticket_message', workspaceId, signal)) {
    await sql`update ticket_message set content = ${withoutMention('content', personId)}
      where ${range} and content like ${mention(personId)}`.execute(db);
    for (const [pattern, condition] of [
      [whole, isOfProgram],
      [single, isToThem(personId)],
    ] as const)
      await sql`update ticket_message set content = regexp_replace(content, ${pattern}, ${NOBODY.name}, 'g')
        where ${range} and content ~ ${pattern} and ${condition}`.execute(db);
  }
};

/** Names of the files that they uploaded: `Ada_Lovelace.pdf` is not a word of its own. What they did not attach goes. */
const eraseFromFiles: Step = async (db, { workspaceId, personId, names }) => {
  const own = sql`workspace_id = ${workspaceId} and author_id = ${personId}`;
  await sql`delete from file where ${own} and attached_at is null`.execute(db);
  if (names.length === 0) return;
  const parts = names.map((name) => escapeForPattern(name).replaceAll(' ', '[ ._-]*'));
  await sql`update file set name = regexp_replace(name, ${parts.join('|')}, ${NOBODY.name}, 'gi')
    where ${own}`.execute(db);
};

/** Keys of messages that a program wrote about a chat account. */
const eraseFromChat: Step = async (db, { workspaceId, personId, addresses }, signal) => {
  for await (const range of ranges(db, 'chat_message', workspaceId, signal))
    for (const address of addresses)
      await sql`update chat_message set ts = replace(ts, ${address}, ${personId})
        where ${range} and strpos(ts, ${address}) > 0`.execute(db);
};

/** The index of their tickets, and the words for typing errors that are in no other name. */
const eraseFromSearch: Step = async (db, { workspaceId, names, addresses }, signal) => {
  // Their tickets were marked when the name went, and so were the texts that the steps before changed.
  for (let isMore = true; isMore;) {
    signal.throwIfAborted();
    isMore = await indexLeft(db, { waits: true });
  }
  await sql`
    delete from search_word w where workspace_id = ${workspaceId}
      and word = any(${wordsOf([...names, ...addresses.map((address) => address.replace(/@.*/, ''))])}::text[])
      and not exists (select from person p where p.workspace_id = w.workspace_id
        and to_tsvector('simple', concat_ws(' ', first_name, last_name)) @@ plainto_tsquery('simple', word))`.execute(
    db,
  );
};

function wordsOf(texts: readonly string[]): string[] {
  return readWords(fold(texts.join(' '))).flatMap(({ parts }) => parts);
}

/** Events that webhooks may still get, or get again. */
const eraseFromEvents: Step = async (db, erased, signal) => {
  const { workspaceId, personId, names, addresses } = erased;
  const needles = [personId, ...names, ...addresses].map((needle) => `%${escaped(inJson(needle))}%`);
  for await (const range of ranges(db, 'event', workspaceId, signal)) {
    const { rows } = await sql<{ id: string; to_them: boolean }>`
      select id, type = 'Message' and exists (
        select from ticket_message where ticket_message.workspace_id = event.workspace_id
          and ticket_message.id = body::json -> 'data' ->> 'id' and ${isToThem(personId)}) as to_them
      from event where ${range} and body like any(${needles}::text[])`.execute(db);
    // One body after the other: each may have a megabyte.
    for (const { id, to_them } of rows) {
      const body = await readEventBody(db, workspaceId, id);
      if (body === undefined) continue;
      await db
        .updateTable('event')
        .set({ body: withoutPerson(body, to_them ? erased : { ...erased, names: names.filter(isWhole) }) })
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', id)
        .execute();
    }
  }
};

/** Inputs and outputs of workflow steps. */
const eraseFromRuns: Step = async (db, { workspaceId, personId, names, addresses }) => {
  const whole = [...names.filter(isWhole), ...addresses];
  const single = names.filter((name) => !isWhole(name));
  const isToThem = sql`exists (select from workflow_run r join ticket t on t.workspace_id = r.workspace_id and t.id = r.ticket_id
    where r.workspace_id = s.workspace_id and r.id = s.run_id and t.requester_id = ${personId})`;
  for (const [needles, condition] of [
    [whole, sql`true`],
    [single, isToThem],
  ] as const) {
    const pattern = anyWordOf(needles.map(inJson));
    const replaced = (column: string) =>
      sql`regexp_replace(${sql.ref(column)}::text, ${pattern}, ${NOBODY.name}, 'g')`;
    await sql`
      update workflow_run_step s set inputs = ${replaced('inputs')}::jsonb, outputs = ${replaced('outputs')}::jsonb,
        error = ${replaced('error')}
      where workspace_id = ${workspaceId} and ${condition}
        and (inputs::text ~ ${pattern} or outputs::text ~ ${pattern} or error ~ ${pattern})`.execute(db);
    await sql`
      update chat_request s set content = regexp_replace(content, ${anyWordOf(needles)}, ${NOBODY.name}, 'g')
      where workspace_id = ${workspaceId} and ${condition} and content ~ ${anyWordOf(needles)}`.execute(db);
  }
};

async function readEventBody(db: ServiceDb, workspaceId: string, id: string): Promise<string | undefined> {
  const event = await db
    .selectFrom('event')
    .select('body')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
  return event?.body;
}

/** Rows per statement: it ends soon, and releases its locks. */
const AT_ONCE = 1_000;

/** Yields the rows of a workspace in the order of their ids, as conditions that each cover some. */
async function* ranges(
  db: ServiceDb,
  table: 'ticket' | 'ticket_activity' | 'ticket_message' | 'chat_message' | 'event',
  workspaceId: string,
  signal: AbortSignal,
): AsyncGenerator<RawBuilder<boolean>> {
  for (let after = ''; ;) {
    signal.throwIfAborted();
    const { rows } = await sql<{ last: string | null }>`
      select max(id) as last from (
        select id from ${sql.table(table)} where workspace_id = ${workspaceId} and id > ${after}
        order by id limit ${AT_ONCE}) page`.execute(db);
    const last = rows[0]?.last ?? null;
    if (last === null) return;
    yield sql<boolean>`(workspace_id = ${workspaceId} and id > ${after} and id <= ${last})`;
    after = last;
  }
}

const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
const escaped = (text: string) => text.replace(/[\\%_]/g, (special) => `\\${special}`);
const escapeForPattern = (text: string) => text.replace(/[^\p{L}\p{N} ]/gu, (special) => `\\${special}`);
const mention = (personId: string) => `%](user:${escaped(personId)})%`;

/** Returns a regular expression of Postgres for any of these texts as whole words. */
function anyWordOf(texts: readonly string[]): string {
  // Nothing matches an empty choice of words.
  return texts.length === 0 ? '\\M\\m' : `\\m(?:${texts.map(escapeForPattern).join('|')})\\M`;
}

/** `[@Name](user:id)`, as the bridge writes a mention. */
function withoutMention(column: string, personId: string): RawBuilder<string> {
  const pattern = `\\[@(?:[^]\\\\]|\\\\.)*\\]\\(user:${escapeForPattern(personId)}\\)`;
  return sql`regexp_replace(${sql.ref(column)}, ${pattern}, ${`[@${NOBODY.name}](user:${personId})`}, 'g')`;
}
