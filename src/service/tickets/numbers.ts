import type { ServiceTx, Tools } from '../handler.ts';
import { found } from '../problem.ts';

/** Letters that are not mistaken for one another; short ids are read out on the phone. */
const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz';
const SHORT_ID_LENGTH = 8;

/** 31⁸ values: a workspace of a million tickets has a clash about once in 850,000 tickets, and a clash is retried. */
export function makeShortId(random: Tools['random']): string {
  return Array.from(
    { length: SHORT_ID_LENGTH },
    () => ALPHABET[Math.floor(random() * ALPHABET.length)] ?? ALPHABET[0],
  ).join('');
}

/** Returns a short id that no ticket of the workspace has. */
export async function freeShortId(
  tx: ServiceTx,
  workspaceId: string,
  random: Tools['random'],
): Promise<string> {
  for (;;) {
    const shortId = makeShortId(random);
    const taken = await tx
      .selectFrom('ticket')
      .select('id')
      .where('workspace_id', '=', workspaceId)
      .where('short_id', '=', shortId)
      .executeTakeFirst();
    if (!taken) return shortId;
  }
}

/**
 * Returns the next round-robin assignee for an existing ticket; null if there is none. Locks the queue, so it comes
 * last.
 */
export async function nextAssignee(
  tx: ServiceTx,
  workspaceId: string,
  queueId: string,
): Promise<string | null> {
  const { auto_assignees: people, next_assignee: turn } = found(
    await tx
      .updateTable('queue')
      .set((column) => ({ next_assignee: column('next_assignee', '+', 1) }))
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', queueId)
      .returning(['next_assignee', 'auto_assignees'])
      .executeTakeFirst(),
  );
  return people[(turn - 1) % people.length] ?? null;
}

/**
 * Returns the queue's next number and the next round-robin assignee (null if there is none). The queue's row stays
 * locked until the transaction ends, so numbers are consecutive: a rollback gives its number back. Take every other row
 * lock before this one.
 */
export async function nextNumber(
  tx: ServiceTx,
  workspaceId: string,
  queueId: string,
): Promise<{ number: number; assignee: string | null }> {
  const queue = found(
    await tx
      .updateTable('queue')
      .set((column) => ({
        last_number: column('last_number', '+', 1),
        next_assignee: column('next_assignee', '+', 1),
      }))
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', queueId)
      .returning(['last_number', 'next_assignee', 'auto_assignees'])
      .executeTakeFirst(),
  );
  const { auto_assignees: people, next_assignee: turn } = queue;
  return { number: queue.last_number, assignee: people[(turn - 1) % people.length] ?? null };
}
