import { type Selectable, sql } from 'kysely';

import { LIMITS } from '../../../contract/index.ts';
import type { Db, Tx } from '../../../platform/database/open.ts';
import {
  type Completed,
  completedBy,
  type EndedRow,
  type Ending,
  endingRow,
  enqueue,
  type NewJob,
} from '../../../platform/jobs/index.ts';
import type { Bridge } from '../../bridge.ts';
import type { Hooks } from '../../hooks.ts';
import type { BridgeTables } from '../../schema/tables.ts';
import { callFile, type ChatFile, decideFile, numbersOf } from '../../slack/file.ts';

/** A file of a chat message, and its copy on the ticket. */
export type FileCopy = Omit<Selectable<BridgeTables['file_copy']>, 'created_at' | 'done_at'>;

/** Copies take their time: they have queues of their own, so that no message waits for one, and no screenshot for a film. */
export const COPY_QUEUE = 'file';
export const LARGE_COPY_QUEUE = 'large-file';
const LARGE_BYTES = 1_000_000;
export const isLarge = ({ bytes }: Pick<FileCopy, 'bytes'>): boolean => bytes > LARGE_BYTES;

/** Slack's message said all that is needed to read a file. */
export const isKnown = ({ bytes, url, mimetype }: Pick<FileCopy, 'bytes' | 'url' | 'mimetype'>): boolean =>
  bytes > 0 && url !== '' && mimetype !== '';

const COLUMNS = sql.raw(
  'id, conversation_id, ticket_id, target_id, file_id, author_id, created_at, of_form, name, bytes, mimetype, url, permalink',
);

type Planned = Pick<FileCopy, 'id' | 'bytes' | 'url' | 'mimetype' | 'wanted'>;

/**
 * Plans what a forwarded message's files mean for its ticket (B18): each is copied once, and one that is gone from the
 * message is deleted there. The message itself has their links, and does not wait.
 */
export async function planCopies(
  tx: Tx<BridgeTables>,
  { newId, clock }: Pick<Bridge, 'newId' | 'clock'>,
  {
    conversation,
    ticketId,
    messageId,
    authorId,
    files,
    ofForm = false,
  }: Parameters<Hooks['filesForwarded']>[1],
): Promise<void> {
  const target = messageId ?? ticketId;
  const numbers = numbersOf(files);
  const there = files
    .map((file, at) => ({ file, number: numbers[at] ?? 1 }))
    .filter(({ file }) => file.id !== '' && isToCopy(file, false));
  const now = clock.now();
  const rows = there.map(({ file, number }) => ({
    id: newId('cpy'),
    conversation_id: conversation.id,
    ticket_id: ticketId,
    target_id: target,
    file_id: file.id,
    author_id: authorId,
    created_at: now,
    of_form: ofForm,
    name: callFile(file, number),
    bytes: file.bytes,
    mimetype: file.mimetype,
    url: file.download,
    permalink: file.permalink,
  }));
  const { rows: planned } = await sql<Planned>`
    with added as (
      insert into file_copy (${COLUMNS})
      select ${COLUMNS} from json_populate_recordset(null::file_copy, ${JSON.stringify(rows)}::json)
      on conflict do nothing
      returning *
    ), removed as (
      update file_copy set wanted = false
      where not ${ofForm}::boolean and target_id = ${target} and wanted and not of_form
        and file_id <> all(${there.map(({ file }) => file.id)}::text[])
      returning *
    )
    select id, bytes, url, mimetype, true as wanted from added
    union all select id, bytes, url, mimetype, false from removed`.execute(tx);
  // The service takes several files for a message at once.
  const areTogether = (file: Planned) => file.wanted && messageId !== null && isKnown(file) && !isLarge(file);
  const together = planned.filter(areTogether);
  const jobs = planned.filter((file) => !areTogether(file)).map((one) => [one]);
  for (let at = 0; at < together.length; at += LIMITS.files.ofRequest)
    jobs.push(together.slice(at, at + LIMITS.files.ofRequest));
  await enqueue(
    tx,
    jobs.map((copies) => copyJob(target, copies)),
  );
}

/** Returns the job of copies of a message or ticket that are made together. */
export function copyJob(target: string, copies: readonly Pick<FileCopy, 'id' | 'bytes'>[]): NewJob {
  return {
    queue: copies.some(isLarge) ? LARGE_COPY_QUEUE : COPY_QUEUE,
    orderingKey: target,
    payload: { copies: copies.map(({ id }) => id) },
  };
}

/** Modes of files with bytes; canvases, posts and mails are pages of Slack. `file_access`: Slack does not say yet. */
const MODES_WITH_BYTES = new Set([undefined, 'hosted', 'snippet', 'file_access']);

/** @param asked whether `files.info` was called. */
export function isToCopy(file: ChatFile, asked: boolean): boolean {
  const state = decideFile({ ...file, asked });
  return (state === 'shown' || state === 'ask') && MODES_WITH_BYTES.has(file.mode);
}

export async function copiesOf(db: Db<BridgeTables>, ids: readonly string[]): Promise<FileCopy[]> {
  return db.selectFrom('file_copy').selectAll().where('id', 'in', ids).orderBy('id').execute();
}

/** How a copy ended, or what is known of it since. */
export type CopyEnd = Pick<FileCopy, 'id' | 'state'> & Partial<Pick<FileCopy, 'reason' | 'service_file_id'>>;

/** What may name a person is kept only while it is needed. */
const FORGOTTEN = { name: '', url: '', permalink: '', author_id: null };

/** Stores how copies ended, ends their job and claims the next one of the message, in one statement. */
export async function endCopies(
  db: Db<BridgeTables>,
  ends: readonly CopyEnd[],
  now: Date,
  ending: Ending,
): Promise<Completed> {
  const row = await db
    .with('ended', (ended) =>
      ended
        .selectFrom(
          sql<EndedRow>`end_jobs(array[json_populate_record(null::job_ending, ${JSON.stringify(endingRow(ending))})])`.as(
            'job',
          ),
        )
        .select(['job.ended', 'job.next']),
    )
    .with('copy', (copy) =>
      copy
        .updateTable('file_copy as c')
        .from(
          sql<CopyEnd>`json_to_recordset(${JSON.stringify(ends)}::json)`.as<'e'>(
            sql`e (id text, state text, reason text, service_file_id text)`,
          ),
        )
        .set((eb) => ({
          state: eb.ref('e.state'),
          reason: eb.ref('e.reason'),
          service_file_id: sql<string | null>`coalesce(e.service_file_id, c.service_file_id)`,
          ...FORGOTTEN,
          done_at: now,
        }))
        .whereRef('c.id', '=', 'e.id')
        .where(sql<boolean>`exists (select from ended)`),
    )
    .selectFrom('ended')
    .selectAll()
    .executeTakeFirst();
  return completedBy(ending, row);
}

export async function forgetAuthor(db: Db<BridgeTables>, id: string): Promise<void> {
  await db.updateTable('file_copy').set({ author_id: null }).where('id', '=', id).execute();
}
