import { presentOf } from '../absences/away.ts';
import type { ServiceTx, Tools } from '../handler.ts';
import { found } from '../problem.ts';

/** Letters that are not mistaken for one another; short ids are read out on the phone. */
const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz';
const SHORT_ID_LENGTH = 8;

/**
 * 31⁸ values: of the tickets of a workspace with a million, one in 850,000 clashes and is refused; the caller repeats.
 */
export function makeShortId(random: Tools['random']): string {
  return Array.from(
    { length: SHORT_ID_LENGTH },
    () => ALPHABET[Math.floor(random() * ALPHABET.length)] ?? ALPHABET[0],
  ).join('');
}

/** A turn of a queue's round robin. */
export interface Turn {
  /** Null if the queue assigns to nobody, or all are away. */
  assigneeId: string | null;
  /** The queue assigns to people, and all of them are away. */
  areAllAway: boolean;
}

/**
 * Takes a queue's next number for a new ticket, and its next round-robin assignee. The queue's row stays locked until
 * the transaction ends, so numbers are consecutive: a rollback gives its number back. Take every other row lock before
 * this one.
 */
export async function takeNumber(
  tx: ServiceTx,
  workspaceId: string,
  queueId: string,
  now: Date,
): Promise<Turn & { number: number }> {
  const queue = found(
    await tx
      .updateTable('queue')
      .set((column) => ({
        last_number: column('last_number', '+', 1),
        next_assignee: column('next_assignee', '+', 1),
      }))
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', queueId)
      .returning(['last_number', 'auto_assignees', 'next_assignee'])
      .executeTakeFirst(),
  );
  return { number: queue.last_number, ...(await nextTurn(tx, workspaceId, queue, now)) };
}

/** Returns the next round-robin assignee for an existing ticket. Locks the queue, so it comes last. */
export async function nextAssignee(
  tx: ServiceTx,
  workspaceId: string,
  queueId: string,
  now: Date,
): Promise<Turn> {
  const queue = found(
    await tx
      .updateTable('queue')
      .set((column) => ({ next_assignee: column('next_assignee', '+', 1) }))
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', queueId)
      .returning(['next_assignee', 'auto_assignees'])
      .executeTakeFirst(),
  );
  return nextTurn(tx, workspaceId, queue, now);
}

/** Returns the next turn of a queue's round robin. Users who are away are skipped. */
async function nextTurn(
  tx: ServiceTx,
  workspaceId: string,
  { auto_assignees: people, next_assignee: turn }: { auto_assignees: string[]; next_assignee: number },
  now: Date,
): Promise<Turn> {
  const present = await presentOf(tx, workspaceId, people, now);
  return {
    assigneeId: present[(turn - 1) % present.length] ?? null,
    areAllAway: people.length > 0 && present.length === 0,
  };
}

/** The same number for a ticket that moves into the queue; it keeps its assignee. */
export async function nextNumber(tx: ServiceTx, workspaceId: string, queueId: string): Promise<number> {
  const { last_number: number } = found(
    await tx
      .updateTable('queue')
      .set((column) => ({ last_number: column('last_number', '+', 1) }))
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', queueId)
      .returning('last_number')
      .executeTakeFirst(),
  );
  return number;
}
