import type { Selectable, Updateable } from 'kysely';
import { z } from 'zod';

import type { Db } from '../../../platform/database/open.ts';
import type { BridgeTables } from '../../schema/tables.ts';
import type { Bridge } from '../../bridge.ts';
import { featureKind, planPosts } from '../../store/posts.ts';
import { approversToAsk, wantsSurvey, mayStillChange } from './rules.ts';
import { askKey, fingerprint } from '../../slack/ids.ts';
import { chatUsersOf, personOf } from '../../people/people.ts';
import { directWith, type PlannedLine, unreachableNotice } from '../../tickets/reach.ts';
import { type Ticket, readTicket } from '../../tickets/find-ticket.ts';
import { approvalMessage, surveyMessage } from './blocks.ts';
import { messageCall } from '../../outbox/desired-state.ts';
import { messageKind } from '../../outbox/post-kind.ts';
import { UNTITLED } from '../../tickets/rules.ts';
import { userNames, ticketUrl } from '../../tickets/ticket-facts.ts';
import { type Attempt, type BridgeTx } from '../../work.ts';

/** A question to one user in their direct messages. */
type Ask = Selectable<BridgeTables['question']>;
type AskKey = Pick<Ask, 'kind' | 'ticket_id' | 'user_id'>;

export async function questionsFor(db: Db<BridgeTables>, ticketId: string): Promise<Ask[]> {
  return db.selectFrom('question').selectAll().where('ticket_id', '=', ticketId).execute();
}

export async function findAsk(db: Db<BridgeTables>, key: AskKey): Promise<Ask | undefined> {
  return db
    .selectFrom('question')
    .selectAll()
    .where((where) => where.and(key))
    .executeTakeFirst();
}

export async function setAsk(
  db: Db<BridgeTables>,
  key: AskKey,
  values: Updateable<BridgeTables['question']>,
): Promise<void> {
  await db
    .updateTable('question')
    .set(values)
    .where((where) => where.and(key))
    .execute();
}

/** The parts of a check that decide who is asked. */
interface Asking {
  ticket: Ticket;
  /** The state at the last check; undefined at the first. */
  before: { group: string; asked: string } | undefined;
  since: string;
  settings: { enableCSAT: boolean; silentMode: boolean };
  attempt: Attempt;
}

interface PlannedAsks {
  /** A digest of what approvers see. */
  shown: string;
  /** Messages for users who cannot be asked directly. */
  lines: PlannedLine[];
  record(tx: BridgeTx): Promise<void>;
}

/** Plans the questions of a ticket: to its approvers (B39) and its requester (B40). Throws ServiceError, ChatError. */
export async function planAsks(bridge: Bridge, asking: Asking): Promise<PlannedAsks> {
  const { ticket, before, since, settings, attempt } = asking;
  const known = await questionsFor(bridge.database.db, ticket.id);
  const approvers = ticket.approvers.map(({ id }) => id);
  const situation = {
    approvers,
    isDecided: ticket.approvedAt !== null || ticket.declinedAt !== null,
    requester: ticket.requesterId,
    group: ticket.status.statusGroup.label,
    groupBefore: before?.group,
    createdAt: ticket.createdAt,
    resolvedAt: ticket.resolvedAt,
    since,
    settings,
    asked: new Set(known.filter(({ kind }) => kind === 'approval').map(({ user_id }) => user_id)),
    surveyed: known.some(({ kind }) => kind === 'survey'),
  };
  const toAsk = approversToAsk(situation);
  const wanted: [Ask['kind'], string][] = toAsk.map((user) => ['approval', user]);
  if (ticket.requesterId !== null && wantsSurvey(situation)) wanted.push(['survey', ticket.requesterId]);
  const users = wanted.map(([, user]) => user);
  const accounts = await chatUsersOf(bridge, users);
  const fresh: Ask[] = [];
  const lines: PlannedLine[] = [];
  for (const [kind, user_id] of wanted) {
    const account = accounts.get(user_id);
    if (account === undefined) continue;
    const channel = await directWith(bridge, account);
    const asked = { kind, ticket_id: ticket.id, user_id, team_id: bridge.bot.team, ts: null, shown: null };
    const unanswered = { asked_at: bridge.clock.now(), score: null, feedback: null, answered_at: null };
    if (channel !== undefined) fresh.push({ ...asked, ...unanswered, channel_id: channel });
    else if (kind === 'approval' && before?.asked !== shownDigest(ticket)) {
      const person = await personOf(bridge, bridge.bot.team, account);
      const line = await unreachableNotice(
        bridge,
        attempt,
        ticket,
        person,
        'it is waiting for your approval',
      );
      if (line) lines.push(line);
    }
  }
  const shown = shownDigest(ticket);
  const changed = before?.asked === shown ? [] : known.filter(({ kind }) => kind === 'approval');
  return {
    shown,
    lines,
    record: async (tx) => {
      for (const ask of changed) await planAsk(tx, bridge, ask);
      for (const ask of fresh) {
        // Nobody is asked twice, and only one user is asked for a rating.
        const { numInsertedOrUpdatedRows } = await tx
          .insertInto('question')
          .values(ask)
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst();
        if (numInsertedOrUpdatedRows) await planAsk(tx, bridge, ask);
      }
    },
  };
}

/** Plans to redraw a question; nothing if it is unchanged. */
export async function planAsk(
  tx: BridgeTx,
  bridge: Pick<Bridge, 'newId' | 'clock'>,
  { kind, ticket_id: ticket, user_id: user, team_id: team, channel_id: channel }: Ask,
): Promise<void> {
  const place = { conversationId: null, team, channel, orderingKey: askKey(kind, ticket, user) };
  await planPosts(tx, bridge, place, [{ kind: featureKind('ask'), ask: kind, ticket, user }]);
}

/** Returns a digest of what approvers' messages show. */
function shownDigest({ title, approvers, approvedAt, declinedAt, metadata }: Ticket): string {
  return fingerprint([title, approvers.map(({ id }) => id), approvedAt, declinedAt, metadata.approval]);
}

const AskBody = z.object({ ask: z.enum(['approval', 'survey']), ticket: z.string(), user: z.string() });

/** Posts a question in a user's direct messages, or updates it (B39, B40), drawn from the record when it is sent. */
export const askPost = messageKind('ask', 'reply', AskBody, async (bridge, writer, row, body) => {
  const key = { kind: body.ask, ticket_id: body.ticket, user_id: body.user };
  const ask = await findAsk(bridge.database.db, key);
  const ticket = ask && (await readTicket(bridge, body.ticket));
  if (!ask || !ticket) return undefined;
  const { text, blocks } =
    ask.kind === 'approval' ? await approvalFor(bridge, ask, ticket) : surveyFor(bridge, ask, ticket);
  const shown = fingerprint([text, blocks]);
  // An earlier attempt may have shown something else, and not recorded it.
  if (ask.shown === shown && row.state !== 'sending') return undefined;
  // A question that was never posted needs no update.
  if (ask.ts === null && row.state !== 'sending' && !isOpen(ask, ticket)) return undefined;
  const { channel_id: channel } = row;
  const as = await bridge.channels.botIdentity(channel);
  const message = { channel, ts: ask.ts, text, blocks };
  return messageCall(writer, message, {
    thread: undefined,
    post: async (id) => (await writer.post({ channel, text, blocks, as, metadata: { id } })).ts,
    record: async (tx, ts, isCurrent) => {
      await setAsk(tx, key, { ts, shown: isCurrent ? shown : null });
      if (!isCurrent) await planAsk(tx, bridge, ask);
    },
    // Its reader deleted it: the question is on the ticket, and nobody is asked twice.
    gone: (tx) => setAsk(tx, key, { shown }),
  });
});

function isOpen({ kind, user_id }: Ask, ticket: Ticket): boolean {
  if (kind === 'survey') return true;
  const isDecided = ticket.approvedAt !== null || ticket.declinedAt !== null;
  return !isDecided && ticket.approvers.some(({ id }) => id === user_id);
}

async function approvalFor(bridge: Bridge, { user_id }: Ask, ticket: Ticket) {
  const { approval } = ticket.metadata;
  const nameOf = await userNames(bridge, [ticket.requesterId, approval?.userId ?? null]);
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
  const isOpen = mayStillChange(answered_at, bridge.clock.now());
  return surveyMessage({ ...subjectOf(bridge, ticket), ticketId: ticket.id, score, feedback, isOpen });
}

function subjectOf(bridge: Bridge, { code, title }: Ticket) {
  return { code, url: ticketUrl(bridge, code), title: title ?? UNTITLED };
}
