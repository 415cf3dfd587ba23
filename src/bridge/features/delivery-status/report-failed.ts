import { escapeMrkdwn } from '../../../platform/text/mrkdwn.ts';
import { z } from 'zod';

import type { Bridge } from '../../bridge.ts';
import { CorePost, type OutboxRow, planPosts } from '../../store/posts.ts';
import { linkById } from '../../store/links.ts';
import { directWith } from '../../tickets/reach.ts';
import {
  attemptOf,
  type BodyOf,
  type BridgeTx,
  CLASSES,
  type Done,
  type Work,
  workFor,
  workKind,
  type Write,
} from '../../work.ts';
import { addNote } from '../../tickets/create-once.ts';
import { readTicket } from '../../tickets/find-ticket.ts';
import { ticketLink } from '../../tickets/ticket-facts.ts';

/** A post could not be delivered. */
export const UNDELIVERED = workKind('undelivered', CLASSES.conversation, z.object({ outbox: z.string() }));

const REPORTED = new Set(['post', 'edit', 'delete', 'private-place']);

/** Schedules the report of a ticket message, an edit, or a private channel that could not be delivered. */
export async function askForReport(
  tx: BridgeTx,
  { id, kind, conversation_id: conversation }: OutboxRow,
): Promise<void> {
  if (conversation === null || !REPORTED.has(kind)) return;
  tx.plan.add(workFor(UNDELIVERED, conversation, { outbox: id }));
}

/**
 * Adds an internal note to the ticket, and posts a line in the team's channel, with the reason and never the text (B54,
 * B14).
 */
export async function reportFailedDelivery(
  bridge: Bridge,
  work: Work<BodyOf<typeof UNDELIVERED>>,
): Promise<Done> {
  const { outbox: outboxId } = work.body;
  const { db } = bridge.database;
  const row = await db
    .selectFrom('outbox')
    .innerJoin('conversation', 'conversation.id', 'outbox.conversation_id')
    .select([
      'outbox.kind',
      'outbox.error',
      'outbox.state',
      'outbox.body',
      'outbox.link_id',
      'conversation.ticket_id',
      'conversation.role',
    ])
    .where('outbox.id', '=', outboxId)
    .executeTakeFirst();
  const ticket = row?.ticket_id && row.state === 'dead' ? await readTicket(bridge, row.ticket_id) : undefined;
  // A note that the team's own thread rejects: another note would fail too.
  if (row?.role === 'triage') return { outcome: 'the team’s own thread refuses it' };
  // Retried or discarded meanwhile.
  if (!row || !ticket) return { outcome: 'it is no longer undelivered' };
  // The edit of a failed post, which was already reported.
  const isChange = row.kind === 'edit' || row.kind === 'delete';
  if (isChange && (row.link_id === null || !(await linkById(db, row.link_id))?.ts))
    return { outcome: 'its post was reported' };
  const what = WHAT[row.kind] ?? 'A message of this ticket';
  const reason = row.error ?? 'no reason given';
  const note = `${what} could not be posted in Slack: ${reason}`;
  await addNote(bridge, attemptOf(work), ticket.id, `undelivered ${outboxId}`, note);
  const asker = await askerOf(bridge, row.body);
  const place = (await bridge.channels.triageOf(ticket.queue?.id)) ?? bridge.adminChannel;
  const reference = ticketLink(bridge, ticket.code);
  const say = async (tx: BridgeTx, channel: string | undefined, text: string) => {
    if (channel === undefined) return;
    const location = { conversationId: null, team: bridge.bot.team, channel };
    await planPosts(tx, bridge, location, [{ kind: 'bot-message', text }]);
  };
  const write: Write = async (tx) => {
    await say(
      tx,
      asker,
      `:warning: The private ticket ${reference} is open at the help desk, but it could not get a private conversation in chat: ${escapeMrkdwn(reason)}. Nothing of it is shown in public channels.`,
    );
    await say(
      tx,
      place,
      `${reference}: ${what.toLowerCase()} could not be posted in Slack: ${escapeMrkdwn(reason)}. It can be retried.`,
    );
  };
  return { outcome: 'reported', write };
}

const WHAT: Record<string, string> = {
  post: 'A message of this ticket',
  edit: 'An edit of a message of this ticket',
  delete: 'The deletion of a message of this ticket',
  'private-place': 'The conversation of this private ticket has no place of its own yet: its first message',
};

/**
 * Returns the direct message channel for the report on a private ticket without a place (B11): the requester's, else
 * that of the user who opened it. Undefined for every other row, and if Slack has none for either.
 */
async function askerOf(bridge: Bridge, body: unknown): Promise<string | undefined> {
  const { data } = CorePost.safeParse(body);
  if (data?.kind !== 'private-place') return undefined;
  for (const user of data.people) {
    const channel = await directWith(bridge, user);
    if (channel !== undefined) return channel;
  }
  return undefined;
}
