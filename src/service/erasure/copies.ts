import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';

import { transaction } from '../../platform/database/open.ts';
import { type NewWork, workFor, workKind } from '../../platform/engine/index.ts';
import type { ServiceDb, ServiceTx } from '../handler.ts';
import type { Tables } from '../schema/tables.ts';
import { indexLeft } from '../search/index/indexing.ts';
import { fold, readWords } from '../search/reader.ts';
import { CLASSES, type ServiceEngine } from '../work.ts';
import { type Erased, isWhole, NOBODY } from './erased.ts';
import { type CleanTitle, wholeWords, withoutPerson } from './event-body.ts';

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
        eraseFromChatRequests,
        eraseFromAudit,
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

/** Descriptions: mentions. Titles: what `titleTraces` names. */
const eraseFromTickets: Step = async (db, erased, signal) => {
  const { workspaceId, personId } = erased;
  for await (const range of ranges(db, 'ticket', workspaceId, signal)) {
    for (const { pattern, isIn } of titleTraces(erased))
      await sql`update ticket t set title = ${withoutNames('title', pattern)}
        where ${range} and title ~ ${pattern} and ${isIn}`.execute(db);
    await sql`update ticket set description = ${withoutMention('description', personId)}
      where ${range} and description like ${mention(personId)}`.execute(db);
  }
};

/** Earlier titles. */
const eraseFromActivity: Step = async (db, erased, signal) => {
  for await (const range of ranges(db, 'ticket_activity', erased.workspaceId, signal))
    for (const { pattern, isIn } of titleTraces(erased))
      await sql`
        update ticket_activity a
        set old_value = ${withoutNames('old_value', pattern)}, new_value = ${withoutNames('new_value', pattern)}
        where ${range} and field = 'title' and concat_ws(E'\n', old_value, new_value) ~ ${pattern} and exists (
          select from ticket t where t.workspace_id = a.workspace_id and t.id = a.ticket_id and ${isIn})`.execute(
        db,
      );
};

/**
 * Names in titles, each with a condition of a ticket `t`. A template puts the requester into the title of their ticket,
 * by whichever name they have; a title made from a description names whom the description mentions, behind an `@`. A
 * single name without one is a word like any other: "Price list is wrong".
 */
function titleTraces({
  personId,
  names,
  addresses,
}: Erased): { pattern: string; inEvents: RegExp; isIn: RawBuilder<boolean> }[] {
  const single = names.filter((name) => !isWhole(name));
  return [
    {
      pattern: anyWordOf([...names, ...addresses]),
      inEvents: wholeWords([...names, ...addresses]),
      isIn: sql<boolean>`t.requester_id = ${personId} and exists (
        select from request_type r where r.workspace_id = t.workspace_id and r.id = t.request_type_id
          and r.title_template like '%requester%')`,
    },
    {
      pattern: `${anyWordOf([...names.filter(isWhole), ...addresses])}|(?<=@)${anyWordOf(single)}`,
      inEvents: wholeWords(names, '@'),
      isIn: sql<boolean>`t.description like ${mention(personId)}`,
    },
  ];
}

/** A message that no person wrote; and one of them on a ticket of the person, which may greet them by a single name. */
const isOfProgram = sql`(author_id is null or exists (
  select from person p where p.workspace_id = ticket_message.workspace_id and p.id = author_id and p.is_bot))`;
const isToThem = (personId: string) => sql`${isOfProgram} and exists (
  select from ticket t where t.workspace_id = ticket_message.workspace_id and t.id = ticket_id
    and t.requester_id = ${personId})`;

/** Texts of messages that are not sent yet, with a column that orders them. */
const UNSENT = [
  ['scheduled_reply', 'id'],
  ['reply_draft', 'id'],
  ['ticket_draft', 'ticket_id'],
  ['canned_reply', 'id'],
] as const;

/** Mentions in all messages, and in those that are not sent yet, and names in those that no person wrote. */
const eraseFromMessages: Step = async (db, { workspaceId, personId, names }, signal) => {
  for (const [table, key] of UNSENT)
    for await (const range of ranges(db, table, workspaceId, signal, key))
      await sql`update ${sql.table(table)} set content = ${withoutMention('content', personId)}
        where ${range} and content like ${mention(personId)}`.execute(db);
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
      await sql`update ticket_message set content = ${withoutNames('content', pattern)}
        where ${range} and content ~ ${pattern} and ${condition}`.execute(db);
  }
};

/** Names of the files that they uploaded: `Ada_Lovelace.pdf` is not a word of its own. What they did not attach goes. */
const eraseFromFiles: Step = async (db, { workspaceId, personId, names }, signal) => {
  const parts = names.map((name) => escapeForPattern(name).replaceAll(' ', '[ ._-]*'));
  for await (const range of ranges(db, 'file', workspaceId, signal)) {
    const own = sql`${range} and author_id = ${personId}`;
    await sql`delete from file where ${own} and attached_at is null`.execute(db);
    if (names.length > 0)
      await sql`update file set name = regexp_replace(name, ${parts.join('|')}, ${NOBODY.name}, 'gi')
        where ${own}`.execute(db);
  }
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
  const { workspaceId, personId } = erased;
  const cleanTitle = await titleCleaner(db, erased, signal);
  for await (const range of ranges(db, 'event', workspaceId, signal)) {
    const { rows } = await sql<{ id: string; to_them: boolean }>`
      select id, type = 'Message' and exists (
        select from ticket_message where ticket_message.workspace_id = event.workspace_id
          and ticket_message.id = body::json -> 'data' ->> 'id' and ${isToThem(personId)}) as to_them
      from event where ${range} and body like any(${tracesInJson(erased)}::text[])`.execute(db);
    // One body after the other: each may have a megabyte.
    for (const { id, to_them } of rows)
      await transaction(db, (tx) =>
        rewriteEvent(tx, { workspaceId, id }, keepSureNames(erased, to_them), cleanTitle),
      );
  }
};

/** Returns how titles lose what `titleTraces` names. */
async function titleCleaner(db: ServiceDb, erased: Erased, signal: AbortSignal): Promise<CleanTitle> {
  const traces = titleTraces(erased).map((trace) => ({ ...trace, tickets: new Set<string>() }));
  for await (const range of ranges(db, 'ticket', erased.workspaceId, signal))
    for (const { isIn, tickets } of traces) {
      const { rows } = await sql<{ id: string }>`select id from ticket t where ${range} and ${isIn}`.execute(
        db,
      );
      for (const { id } of rows) tickets.add(id);
    }
  return (ticketId, title) =>
    traces
      .filter(({ tickets }) => tickets.has(ticketId))
      .reduce((cleaned, { inEvents }) => cleaned.replaceAll(inEvents, NOBODY.name), title);
}

async function rewriteEvent(
  tx: ServiceTx,
  { workspaceId, id }: { workspaceId: string; id: string },
  erased: Erased,
  cleanTitle: CleanTitle,
): Promise<void> {
  // Locked, so that the erasure of another person meanwhile is not undone.
  const event = await tx
    .selectFrom('event')
    .select('body')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!event) return;
  await tx
    .updateTable('event')
    .set({ body: withoutPerson(event.body, erased, cleanTitle) })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute();
}

/** A step of a run for a ticket of the person, or a message of it; `run_id` names the run. */
const isOfRunForThem = (personId: string) => sql<boolean>`exists (
  select from workflow_run r join ticket t on t.workspace_id = r.workspace_id and t.id = r.ticket_id
  where r.workspace_id = own.workspace_id and r.id = own.run_id and t.requester_id = ${personId})`;

/** Inputs, outputs and errors of workflow steps. */
const eraseFromRuns: Step = async (db, erased, signal) => {
  const { workspaceId, personId } = erased;
  for await (const range of ranges(db, 'workflow_run_step', workspaceId, signal, 'run_id')) {
    const { rows } = await sql<{ run_id: string; step_id: string; to_them: boolean }>`
      select run_id, step_id, ${isOfRunForThem(personId)} as to_them from workflow_run_step own
      where ${range} and concat_ws(' ', inputs, outputs, to_json(error)) like any(${tracesInJson(erased)}::text[])`.execute(
      db,
    );
    for (const { run_id, step_id, to_them } of rows)
      await transaction(db, (tx) =>
        rewriteStep(tx, { workspaceId, run_id, step_id }, keepSureNames(erased, to_them)),
      );
  }
};

async function rewriteStep(
  tx: ServiceTx,
  { workspaceId, run_id, step_id }: { workspaceId: string; run_id: string; step_id: string },
  erased: Erased,
): Promise<void> {
  // Locked, as its run may go on meanwhile.
  const step = await tx
    .selectFrom('workflow_run_step')
    .select(['inputs', 'outputs', 'error'])
    .where('workspace_id', '=', workspaceId)
    .where('run_id', '=', run_id)
    .where('step_id', '=', step_id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!step) return;
  const { inputs, outputs, error } = JSON.parse(withoutPerson(JSON.stringify(step), erased)) as typeof step;
  await tx
    .updateTable('workflow_run_step')
    .set({ inputs: inputs && JSON.stringify(inputs), outputs: outputs && JSON.stringify(outputs), error })
    .where('workspace_id', '=', workspaceId)
    .where('run_id', '=', run_id)
    .where('step_id', '=', step_id)
    .execute();
}

/** What workflows write in chat. */
const eraseFromChatRequests: Step = async (db, { workspaceId, personId, names, addresses }, signal) => {
  const whole = anyWordOf([...names.filter(isWhole), ...addresses]);
  const single = anyWordOf(names.filter((name) => !isWhole(name)));
  for await (const range of ranges(db, 'chat_request', workspaceId, signal))
    for (const [pattern, condition] of [
      [whole, sql`true`],
      [single, isOfRunForThem(personId)],
    ] as const)
      await sql`
        update chat_request own set content = ${withoutNames('content', pattern)}
        where ${range} and content ~ ${pattern} and ${condition}`.execute(db);
};

/** Addresses of refused sign-ins and the like. */
const eraseFromAudit: Step = async (db, { workspaceId, addresses }, signal) => {
  const lower = addresses.map((address) => address.toLowerCase());
  for await (const range of ranges(db, 'audit_entry', workspaceId, signal))
    await sql`update audit_entry set detail = detail - 'email'
      where ${range} and lower(detail ->> 'email') = any(${lower}::text[])`.execute(db);
};

/** Leaves out single names for a text that is not to the person: there they may be any word. */
function keepSureNames(erased: Erased, isToThem: boolean): Erased {
  return isToThem ? erased : { ...erased, names: erased.names.filter(isWhole) };
}

/** Returns patterns for `like`: what a JSON text contains that names them. */
function tracesInJson({ personId, names, addresses }: Erased): string[] {
  return [personId, ...names, ...addresses].map((text) => `%${escaped(inJson(text))}%`);
}

/** Rows per statement: it ends soon, and releases its locks. */
const AT_ONCE = 1_000;

/** Yields the rows of a workspace in the order of a key, as conditions that each cover some. */
async function* ranges(
  db: ServiceDb,
  table: keyof Tables,
  workspaceId: string,
  signal: AbortSignal,
  key: 'id' | 'run_id' | 'ticket_id' = 'id',
): AsyncGenerator<RawBuilder<boolean>> {
  const column = sql.ref(key);
  for (let after = ''; ;) {
    signal.throwIfAborted();
    const { rows } = await sql<{ last: string | null }>`
      select max(${column}) as last from (
        select ${column} from ${sql.table(table)} where workspace_id = ${workspaceId} and ${column} > ${after}
        order by ${column} limit ${AT_ONCE}) page`.execute(db);
    const last = rows[0]?.last ?? null;
    if (last === null) return;
    yield sql<boolean>`(workspace_id = ${workspaceId} and ${column} > ${after} and ${column} <= ${last})`;
    after = last;
  }
}

const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
const escaped = (text: string) => text.replace(/[\\%_]/g, (special) => `\\${special}`);
const escapeForPattern = (text: string) => text.replace(/[^\p{L}\p{N} ]/gu, (special) => `\\${special}`);
const mention = (personId: string) => `%](user:${escaped(personId)})%`;

/** Returns a regular expression of Postgres for any of these texts as whole words; they may end in a sign: "Jr.". */
function anyWordOf(texts: readonly string[]): string {
  // Nothing matches an empty choice of words.
  return texts.length === 0 ? '\\M\\m' : `(?<!\\w)(?:${texts.map(escapeForPattern).join('|')})(?!\\w)`;
}

/** Returns a text in which a pattern's names are replaced. */
function withoutNames(column: string, pattern: string): RawBuilder<string> {
  return sql`regexp_replace(${sql.ref(column)}, ${pattern}, ${NOBODY.name}, 'g')`;
}

/** `[@Name](user:id)`, as the bridge writes a mention. */
function withoutMention(column: string, personId: string): RawBuilder<string> {
  const pattern = `\\[@(?:[^]\\\\]|\\\\.)*\\]\\(user:${escapeForPattern(personId)}\\)`;
  return sql`regexp_replace(${sql.ref(column)}, ${pattern}, ${`[@${NOBODY.name}](user:${personId})`}, 'g')`;
}
