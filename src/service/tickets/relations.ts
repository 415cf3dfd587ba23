import { sql } from 'kysely';

import { ID_PREFIXES, LIMITS } from '../../contract/index.ts';
import type { NewId } from '../../platform/ids.ts';
import type { ServiceTx } from '../handler.ts';
import { conflict, unprocessable } from '../problem.ts';
import { requireIds } from '../references.ts';
import { requireRoomForOne } from '../room-for-one.ts';
import type { TicketKey } from './find.ts';

type Refs = readonly { id: string }[] | null | undefined;

export function idsOfRefs(refs: Refs): string[] {
  return [...new Set(refs?.map(({ id }) => id))];
}

/** Replaces the users of a ticket, in this order. Returns whether anything changed. */
export async function writePeople(
  tx: ServiceTx,
  table: 'ticket_approver' | 'ticket_follower',
  { workspaceId, id }: TicketKey,
  people: readonly string[],
): Promise<boolean> {
  const before = await tx
    .selectFrom(table)
    .select('person_id')
    .where('workspace_id', '=', workspaceId)
    .where('ticket_id', '=', id)
    .orderBy('position')
    .execute();
  if (before.length === people.length && before.every((row, place) => row.person_id === people[place]))
    return false;
  // One who is on the ticket may stay, even if erased.
  const added = people.filter((person) => !before.some(({ person_id }) => person_id === person));
  await requireIds(
    tx,
    'person',
    workspaceId,
    added,
    table === 'ticket_approver' ? 'approverIds' : 'followers',
  );
  const removed = before.map((row) => row.person_id).filter((person) => !people.includes(person));
  // Those who stay keep their rows, and with them the merges that made them followers.
  if (removed.length > 0)
    await tx
      .deleteFrom(table)
      .where('workspace_id', '=', workspaceId)
      .where('ticket_id', '=', id)
      .where('person_id', 'in', removed)
      .execute();
  if (people.length > 0)
    await tx
      .insertInto(table)
      .values(
        people.map((person, position) => ({
          workspace_id: workspaceId,
          ticket_id: id,
          person_id: person,
          position,
        })),
      )
      .onConflict((existing) =>
        existing
          .columns(['workspace_id', 'ticket_id', 'person_id'])
          .doUpdateSet((row) => ({ position: row.ref('excluded.position') })),
      )
      .execute();
  return true;
}

/** Tags to set (all others are removed), add and remove. */
export interface TagChange {
  set?: Refs;
  add?: Refs;
  remove?: Refs;
}

/** Returns whether anything changed. */
export async function writeTags(
  tx: ServiceTx,
  { workspaceId, id }: TicketKey,
  change: TagChange,
): Promise<boolean> {
  const rows = await tx
    .selectFrom('ticket_tag')
    .select('tag_id')
    .where('workspace_id', '=', workspaceId)
    .where('ticket_id', '=', id)
    .execute();
  const before = new Set(rows.map((row) => row.tag_id));
  const after = new Set(change.set ? idsOfRefs(change.set) : before);
  for (const tag of idsOfRefs(change.add)) after.add(tag);
  for (const tag of idsOfRefs(change.remove)) after.delete(tag);
  const added = [...after].filter((tag) => !before.has(tag));
  const removed = [...before].filter((tag) => !after.has(tag));
  if (added.length > 0 && after.size > LIMITS.ofTicket.tags)
    throw unprocessable(
      change.add ? 'data.addTags' : 'data.tags',
      `There are at most ${LIMITS.ofTicket.tags} tags of a ticket. Remove some of them first`,
    );
  await requireIds(tx, 'tag', workspaceId, added, 'tags');
  if (added.length > 0)
    await tx
      .insertInto('ticket_tag')
      .values(added.map((tag) => ({ workspace_id: workspaceId, ticket_id: id, tag_id: tag })))
      .execute();
  if (removed.length > 0)
    await tx
      .deleteFrom('ticket_tag')
      .where('workspace_id', '=', workspaceId)
      .where('ticket_id', '=', id)
      .where('tag_id', 'in', removed)
      .execute();
  return added.length > 0 || removed.length > 0;
}

export interface ThreadInput {
  channelId: string;
  messageTs: string;
  /** The thread that it replaces. */
  replaces?: string | null | undefined;
  mirrorTs?: string | null | undefined;
  type?: string | null | undefined;
  userId?: string | null | undefined;
  appId?: string | null | undefined;
}

/**
 * Adds a chat thread, or updates the ticket's own thread there.
 * @param path of the request, for a ticket with too many threads.
 * @throws ServiceProblem 409 if the thread belongs to another ticket; 422 for an unknown user, or too many threads.
 */
export async function writeThread(
  tx: ServiceTx,
  { workspaceId, id }: TicketKey,
  thread: ThreadInput,
  { newId, now, path }: { newId: NewId; now: Date; path: string },
): Promise<void> {
  if (thread.userId) await requireIds(tx, 'person', workspaceId, [thread.userId], 'userId');
  const { channelId, messageTs, replaces } = thread;
  await requireRoomForOne(
    tx,
    {
      table: 'chat_thread',
      workspaceId,
      column: 'ticket_id',
      id,
      except: sql`(replaced_at is not null
        or (channel_id = ${channelId} and message_ts in (${messageTs}, ${replaces ?? messageTs})))`,
    },
    {
      most: LIMITS.ofTicket.chatThreads,
      path,
      says: 'chat threads of a ticket. Replace one of them (`replaces`)',
    },
  );
  const given = {
    ...(thread.mirrorTs !== undefined && { mirror_ts: thread.mirrorTs }),
    ...(thread.type !== undefined && { type: thread.type }),
    ...(thread.userId !== undefined && { user_id: thread.userId }),
    ...(thread.appId !== undefined && { app_id: thread.appId }),
    replaced_at: null,
    updated_at: now,
  };
  const written = await tx
    .insertInto('chat_thread')
    .values({
      workspace_id: workspaceId,
      id: newId(ID_PREFIXES.chatThread),
      ticket_id: id,
      channel_id: thread.channelId,
      message_ts: thread.messageTs,
      created_at: now,
      ...given,
    })
    .onConflict((existing) =>
      existing
        .columns(['workspace_id', 'channel_id', 'message_ts'])
        .doUpdateSet(given)
        .where('chat_thread.ticket_id', '=', id),
    )
    .returning('id')
    .executeTakeFirst();
  if (!written) throw conflict('This chat thread belongs to another ticket.');
  if (!thread.replaces || thread.replaces === thread.messageTs) return;
  await tx
    .updateTable('chat_thread')
    .set({ replaced_at: now, updated_at: now })
    .where('workspace_id', '=', workspaceId)
    .where('ticket_id', '=', id)
    .where('channel_id', '=', thread.channelId)
    .where('message_ts', '=', thread.replaces)
    .execute();
}
