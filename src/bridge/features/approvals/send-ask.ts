import type { z } from 'zod';

import type { Tx } from '../../../platform/database/open.ts';
import { approvalMessage, surveyMessage } from './blocks.ts';
import type { Bridge } from '../../bridge.ts';
import type { OutboxRow } from '../../outbox/outbox.ts';
import type { Call } from '../../outbox/post-kind.ts';
import type { ChatWriter } from '../../slack/writer.ts';
import { mayStillChange } from './rules.ts';
import { UNTITLED } from '../../tickets/title-rules.ts';
import { type Ask, findAsk, setAsk } from './store.ts';
import { fingerprint } from '../../slack/ids.ts';
import type { BridgeTables } from '../../schema/tables.ts';
import { type AskPost, planAsk } from './ask-people.ts';
import { readTicket, type Ticket } from '../../tickets/find-ticket.ts';
import { namesOf, ticketUrl } from '../../tickets/ticket-facts.ts';

/**
 * Posts a question in a user's direct messages, or updates it (B39, B40), drawn from the record when it is sent.
 * Undefined if it is unchanged.
 */
export async function askCall(
  bridge: Bridge,
  writer: ChatWriter,
  row: OutboxRow,
  body: z.infer<typeof AskPost>,
): Promise<Call | undefined> {
  const key = { kind: body.ask, ticket_id: body.ticket, user_id: body.user };
  const ask = await findAsk(bridge.database.db, key);
  const ticket = ask && (await readTicket(bridge, body.ticket));
  if (!ask || !ticket) return undefined;
  const { text, blocks } =
    ask.kind === 'approval' ? await approvalFor(bridge, ask, ticket) : surveyFor(bridge, ask, ticket);
  const shown = fingerprint([text, blocks]);
  if (ask.shown === shown) return undefined;
  const channel = row.channel_id;
  if (ask.ts !== null) {
    const { ts } = ask;
    return {
      methods: ['chat.update'],
      make: () => writer.update(channel, ts, text, blocks).then(() => ts),
      after: (tx) => setAsk(tx, key, { shown }),
      // Its reader deleted it: the question is on the ticket, and nobody is asked twice.
      gone: (tx) => setAsk(tx, key, { shown }),
    };
  }
  // A question that was never posted needs no update.
  if (row.state !== 'sending' && !isOpen(ask, ticket)) return undefined;
  const as = await bridge.channels.botFace(channel);
  return {
    methods: ['chat.postMessage'],
    lookIn: { thread: undefined },
    make: async (id) => (await writer.post({ channel, text, blocks, as, mark: { id } })).ts,
    after: async (tx: Tx<BridgeTables>, ts, found) => {
      if (ts === undefined) return;
      // A post that was looked up shows what it was posted with, not what was read just now.
      await setAsk(tx, key, { ts, shown: found ? null : shown });
      if (found) await planAsk(tx, bridge, ask);
    },
  };
}

function isOpen({ kind, user_id }: Ask, ticket: Ticket): boolean {
  if (kind === 'survey') return true;
  const isDecided = ticket.approvedAt !== null || ticket.declinedAt !== null;
  return !isDecided && ticket.approvers.some(({ id }) => id === user_id);
}

async function approvalFor(bridge: Bridge, { user_id }: Ask, ticket: Ticket) {
  const { approval } = ticket.metadata;
  const nameOf = await namesOf(bridge, [ticket.requesterId, approval?.userId ?? null]);
  const what = ticket.approvedAt ? 'approved' : ticket.declinedAt ? 'declined' : undefined;
  return approvalMessage({
    ...subjectOf(bridge, ticket),
    ticketId: ticket.id,
    requester: nameOf(ticket.requesterId),
    description: ticket.description ?? '',
    decision: what && { what, by: nameOf(approval?.userId ?? null), reason: approval?.reason ?? null },
    isAsked: ticket.approvers.some(({ id }) => id === user_id),
  });
}

function surveyFor(bridge: Bridge, { score, feedback, answered_at }: Ask, ticket: Ticket) {
  const isStillOpen = mayStillChange(answered_at, bridge.clock.now());
  return surveyMessage({
    ...subjectOf(bridge, ticket),
    ticketId: ticket.id,
    score,
    feedback,
    isOpen: isStillOpen,
  });
}

function subjectOf(bridge: Bridge, { code, title }: Ticket) {
  return { code, url: ticketUrl(bridge, code), title: title ?? UNTITLED };
}
