import { sql } from 'kysely';

import { LIMITS } from '../../../contract/index.ts';
import type { Db } from '../../../platform/database/open.ts';
import type { Bridge } from '../../bridge.ts';
import type { Hooks } from '../../hooks.ts';
import type { BridgeTables } from '../../schema/tables.ts';
import { type BridgeTx, COPY, COPY_LARGE, type NewWork, workFor } from '../../work.ts';
import type { FileCopy } from '../../store/file-copies.ts';
import { callFile, type ChatFile, decideFile, numbersOf } from '../../slack/file.ts';

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
  tx: BridgeTx,
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
  const groups = planned.filter((file) => !areTogether(file)).map((one) => [one]);
  for (let at = 0; at < together.length; at += LIMITS.files.ofRequest)
    groups.push(together.slice(at, at + LIMITS.files.ofRequest));
  tx.plan.add(...groups.map((copies) => copyWork(target, copies)));
}

/** Returns the work of copies of a message or ticket that are made together. */
export function copyWork(target: string, copies: readonly Pick<FileCopy, 'id' | 'bytes'>[]): NewWork {
  const kind = copies.some(isLarge) ? COPY_LARGE : COPY;
  return workFor(kind, target, { copies: copies.map(({ id }) => id) });
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

export async function forgetAuthor(db: Db<BridgeTables>, id: string): Promise<void> {
  await db.updateTable('file_copy').set({ author_id: null }).where('id', '=', id).execute();
}
