import { z } from 'zod';

import { type Tx, transaction } from '../../platform/database/open.ts';
import { enqueue, type Job } from '../../platform/lanes/index.ts';
import { link } from '../blocks/card.ts';
import type { Bridge } from '../bridge.ts';
import { type OutboxRow, plan } from '../chat/outbox.ts';
import { CONVERSATION_QUEUE } from '../intake/store.ts';
import type { BridgeTables } from '../schema/tables.ts';
import { escapeChat } from '../text/to-chat.ts';
import { addNote } from './add-note.ts';
import { readTicket } from './find-ticket.ts';
import { ticketUrl } from './ticket-facts.ts';

/** Has it reported that a ticket message, or an edit of one, can never be shown in chat. */
export async function askForReport(
  tx: Tx<BridgeTables>,
  { id, kind, conversation_id: conversation }: OutboxRow,
): Promise<void> {
  if (conversation === null || !(kind === 'post' || kind === 'edit' || kind === 'delete')) return;
  await enqueue(tx, [{ queue: CONVERSATION_QUEUE, key: conversation, payload: { undelivered: id } }]);
}

/** A private note on the ticket, and a line where its team works, with the reason and never the text (B54, B14). */
export async function reportUndelivered(bridge: Bridge, job: Job<unknown>, outboxId: string): Promise<void> {
  const { db } = bridge.database;
  const row = await db
    .selectFrom('outbox')
    .innerJoin('conversation', 'conversation.id', 'outbox.conversation_id')
    .select([
      'outbox.kind',
      'outbox.error',
      'outbox.state',
      'outbox.body',
      'conversation.ticket_id',
      'conversation.role',
    ])
    .where('outbox.id', '=', outboxId)
    .executeTakeFirst();
  const ticket =
    row?.ticket_id && row.state === 'parked' ? await readTicket(bridge, row.ticket_id) : undefined;
  const done = (write?: (tx: Tx<BridgeTables>) => Promise<void>) =>
    transaction(db, async (tx) => {
      await write?.(tx);
      await job.complete(tx);
    });
  // A note that the team's own thread does not take: a further note would meet the same.
  if (row && row.role === 'triage') return done();
  // Retried or dropped by hand meanwhile; or it is the edit of a post that never went through, which was reported.
  if (!row || !ticket || (row.kind !== 'post' && !(await isPosted(bridge, row.body)))) return done();
  const what = WHAT[row.kind] ?? 'A message of this ticket';
  const reason = row.error ?? 'no reason given';
  const begun = { attempt: job.attempt, receivedAt: job.enqueuedAt };
  await addNote(
    bridge,
    begun,
    ticket.id,
    `undelivered ${outboxId}`,
    `${what} could not be posted in chat: ${reason}`,
  );
  const place = (await bridge.channels.triageOf(ticket.queue?.id)) ?? bridge.adminChannel;
  await done(async (tx) => {
    if (!place) return;
    const text = `${link(ticketUrl(bridge, ticket.code), ticket.code)}: ${what.toLowerCase()} could not be posted in chat: ${escapeChat(reason)}. It is kept, and can be retried.`;
    await plan(tx, bridge, { conversationId: null, team: bridge.bot.team, channel: place }, [
      { kind: 'line', text },
    ]);
  });
}

const WHAT: Record<string, string> = {
  post: 'A message of this ticket',
  edit: 'An edit of a message of this ticket',
  delete: 'The deletion of a message of this ticket',
};

const LinkedBody = z.object({ link: z.string() });

async function isPosted({ database }: Bridge, body: unknown): Promise<boolean> {
  const parsed = LinkedBody.safeParse(body);
  if (!parsed.success) return false;
  const row = await database.db
    .selectFrom('message_link')
    .select('ts')
    .where('id', '=', parsed.data.link)
    .executeTakeFirst();
  return row?.ts != null;
}
