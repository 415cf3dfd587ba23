import { z } from 'zod';

import type { Tx } from '../../../platform/database/open.ts';
import type { Bridge } from '../../bridge.ts';
import { featureKind, plan } from '../../outbox/outbox.ts';
import { approversToAsk, asksHowItWas } from './rules.ts';
import { type Ask, asksOf, recordAsk } from './store.ts';
import { askKey, fingerprint } from '../../slack/ids.ts';
import { chatUsersOf, personOf } from '../../people/people.ts';
import type { BridgeTables } from '../../schema/tables.ts';
import type { Begun } from '../../tickets/create-once.ts';
import { directWith } from '../../slack/direct-with.ts';
import type { Ticket } from '../../tickets/find-ticket.ts';
import { type PlannedLine, unreached } from '../../people/unreached.ts';

/** The parts of a check that decide who is asked. */
interface Asking {
  ticket: Ticket;
  /** The state at the last check; undefined at the first. */
  before: { group: string; asked: string } | undefined;
  since: string;
  settings: { enableCSAT: boolean; silentMode: boolean };
  begun: Begun;
}

interface PlannedAsks {
  /** A digest of what approvers see. */
  shown: string;
  /** Messages for users who cannot be asked directly. */
  lines: PlannedLine[];
  record(tx: Tx<BridgeTables>): Promise<void>;
}

/** Plans the questions of a ticket: to its approvers (B39) and its requester (B40). Throws ServiceError, ChatError. */
export async function planAsks(bridge: Bridge, asking: Asking): Promise<PlannedAsks> {
  const { ticket, before, since, settings, begun } = asking;
  const known = await asksOf(bridge.database.db, ticket.id);
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
  const wanted: Pick<Ask, 'kind' | 'user_id'>[] = approversToAsk(situation).map((user_id) => ({
    kind: 'approval',
    user_id,
  }));
  if (ticket.requesterId !== null && asksHowItWas(situation))
    wanted.push({ kind: 'survey', user_id: ticket.requesterId });
  const accounts = await chatUsersOf(
    bridge,
    wanted.map(({ user_id }) => user_id),
  );
  const fresh: Ask[] = [];
  const lines: PlannedLine[] = [];
  for (const { kind, user_id } of wanted) {
    const account = accounts.get(user_id);
    if (account === undefined) continue;
    const channel = await directWith(bridge, account);
    const asked = { kind, ticket_id: ticket.id, user_id, team_id: bridge.bot.team, ts: null, shown: null };
    const unanswered = { asked_at: bridge.clock.now(), score: null, feedback: null, answered_at: null };
    if (channel !== undefined) fresh.push({ ...asked, ...unanswered, channel_id: channel });
    else if (kind === 'approval' && before?.asked !== shownOf(ticket)) {
      const person = await personOf(bridge, bridge.bot.team, account);
      const line = await unreached(bridge, begun, ticket, person, 'it waits for your approval');
      if (line) lines.push(line);
    }
  }
  const shown = shownOf(ticket);
  const changed = before?.asked === shown ? [] : known.filter(({ kind }) => kind === 'approval');
  return {
    shown,
    lines,
    record: async (tx) => {
      for (const ask of changed) await planAsk(tx, bridge, ask);
      for (const ask of fresh) if (await recordAsk(tx, ask)) await planAsk(tx, bridge, ask);
    },
  };
}

const ASK = featureKind('ask');

/** A question in somebody's direct messages, drawn from the service's record at the moment it is sent (B39, B40). */
export const AskPost = z.object({
  ask: z.enum(['approval', 'survey']),
  ticket: z.string(),
  user: z.string(),
});

/** Plans to redraw a question; nothing if it is unchanged. */
export async function planAsk(
  tx: Tx<BridgeTables>,
  bridge: Pick<Bridge, 'newId' | 'clock'>,
  { kind, ticket_id: ticket, user_id: user, team_id: team, channel_id: channel }: Ask,
): Promise<void> {
  const place = { conversationId: null, team, channel, orderingKey: askKey(kind, ticket, user) };
  await plan(tx, bridge, place, [{ kind: ASK, ask: kind, ticket, user }]);
}

/** Returns a digest of what approvers' messages show. */
function shownOf({ title, approvers, approvedAt, declinedAt, metadata }: Ticket): string {
  return fingerprint([title, approvers.map(({ id }) => id), approvedAt, declinedAt, metadata.approval]);
}
