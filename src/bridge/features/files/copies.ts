import { type Selectable, sql } from 'kysely';

import type { Db, Tx } from '../../../platform/database/open.ts';
import {
  type Completed,
  completedBy,
  type EndedRow,
  type Ending,
  endingRow,
  enqueue,
  type Job,
} from '../../../platform/jobs/index.ts';
import type { Bridge } from '../../bridge.ts';
import type { Hooks } from '../../hooks.ts';
import type { BridgeTables } from '../../schema/tables.ts';
import { type ChatFile, decideFile } from '../../slack/file.ts';

/** A file of a chat message, and its copy on the ticket. */
export type FileCopy = Omit<Selectable<BridgeTables['file_copy']>, 'created_at' | 'done_at'>;
type FileCopyUpdate = Partial<Omit<Selectable<BridgeTables['file_copy']>, 'id'>>;

/** Copies take their time: they have queues of their own, so that no message waits for one, and no screenshot for a film. */
export const COPY_QUEUE = 'file';
export const LARGE_COPY_QUEUE = 'large-file';
const LARGE_BYTES = 1_000_000;
export const isLarge = ({ bytes }: Pick<FileCopy, 'bytes'>): boolean => bytes > LARGE_BYTES;

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
  const there = files.filter((file) => file.id !== '' && isToCopy(file, false));
  const now = clock.now();
  const added =
    there.length === 0
      ? []
      : await tx
          .insertInto('file_copy')
          .values(
            there.map((file) => ({
              ...{ id: newId('cpy'), conversation_id: conversation.id, ticket_id: ticketId },
              ...{ target_id: target, file_id: file.id, author_id: authorId, created_at: now },
              of_form: ofForm,
              ...{ name: file.name, bytes: file.bytes, mimetype: file.mimetype },
              ...{ url: file.download, permalink: file.permalink },
            })),
          )
          .onConflict((conflict) => conflict.doNothing())
          .returning(['id', 'bytes'])
          .execute();
  const kept = there.map(({ id }) => id);
  const removed = ofForm
    ? []
    : await tx
        .updateTable('file_copy')
        .set({ wanted: false })
        .where('target_id', '=', target)
        .where('wanted', '=', true)
        .where('of_form', '=', false)
        .where(sql<boolean>`file_id <> all(${kept}::text[])`)
        .returning(['id', 'bytes'])
        .execute();
  await enqueue(
    tx,
    [...added, ...removed].map(({ id, bytes }) => ({
      queue: isLarge({ bytes }) ? LARGE_COPY_QUEUE : COPY_QUEUE,
      orderingKey: target,
      payload: { copy: id },
    })),
  );
}

/** Modes of files with bytes; canvases, posts and mails are pages of Slack. `file_access`: Slack does not say yet. */
const MODES_WITH_BYTES = new Set([undefined, 'hosted', 'snippet', 'file_access']);

/** @param asked whether `files.info` was called. */
export function isToCopy(file: ChatFile, asked: boolean): boolean {
  const state = decideFile({ ...file, asked });
  return (state === 'shown' || state === 'ask') && MODES_WITH_BYTES.has(file.mode);
}

/** The copy of a job: read already if the job was claimed with the end of another one. */
export async function copyOf(
  db: Db<BridgeTables>,
  { prefetched }: Pick<Job<unknown>, 'prefetched'>,
  id: string,
): Promise<FileCopy | undefined> {
  const read = prefetched as FileCopy | null | undefined;
  return read ?? db.selectFrom('file_copy').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Stores how a copy ended, ends its job, claims the next one of the message and reads its copy, in one statement. */
export async function endCopy(
  db: Db<BridgeTables>,
  id: string,
  values: FileCopyUpdate,
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
        .updateTable('file_copy')
        .set(values)
        .where('id', '=', id)
        .where(sql<boolean>`exists (select from ended)`),
    )
    .selectFrom('ended')
    .leftJoin('file_copy as c', (join) => join.on(sql<boolean>`c.id = ended.next -> 'payload' ->> 'copy'`))
    .select(['ended.ended', 'ended.next', sql<FileCopy | null>`to_json(c)`.as('copy')])
    .executeTakeFirst();
  return completedBy(ending, row, row?.copy);
}

export async function setCopy(db: Db<BridgeTables>, id: string, values: FileCopyUpdate): Promise<void> {
  await db.updateTable('file_copy').set(values).where('id', '=', id).execute();
}
