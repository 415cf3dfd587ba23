import { z } from 'zod';

import { type CardFacts, cardOf, hiddenCard, requesterCard } from '../../blocks/card.ts';
import type { Drawn } from '../../blocks/kit.ts';
import type { Bridge } from '../../bridge.ts';
import { markdownExcerpt, markdownWords } from '../../text/to-chat.ts';
import { type CardPlace, mayShow } from '../../tickets/permissions.ts';
import { featureKind, planPosts } from '../../store/posts.ts';
import { isPlaceholderParent, permalinkOf, statusKey } from '../../slack/ids.ts';
import { type Conversation, findByTicket, locationOf, conversationOf } from '../../store/conversations.ts';
import { type Ticket, readTicket } from '../../tickets/find-ticket.ts';
import { type NamedSimilar, similarFor } from './similar.ts';
import { endClaim, planCard, redrawCards } from './redraw.ts';
import { controlsOf, deskPageOf, readCardFacts, userNames } from '../../tickets/ticket-facts.ts';
import { emojiCall } from '../../outbox/desired-state.ts';
import { postKind } from '../../outbox/post-kind.ts';
import { statusEmoji } from '../../blocks/emoji.ts';
import type { Hooks } from '../../hooks.ts';
import { AnsweredError, ServiceError } from '../../../client/index.ts';
import type { Person } from '../../people/people.ts';
import { type BridgeTx, type Write } from '../../work.ts';

/**
 * Returns whether a card is up to date: an older state never replaces a newer one, and the same one is not drawn twice
 * (B31).
 */
export function isDrawn(
  card: { shown: Date | null; stale: boolean } | undefined,
  ticket: Pick<Ticket, 'updatedAt'>,
): boolean {
  return card?.shown != null && !card.stale && card.shown.toISOString() >= ticket.updatedAt;
}

/** A card as it is shown in one place. */
interface DrawnCard extends Drawn {
  similar?: NamedSimilar | undefined;
  /** When its promise of a first reply ends. */
  promisedUntil?: Date | undefined;
}

/**
 * Returns a ticket's card for one place, with its controls (B24, B25, B26), and the similar tickets that it names.
 * @param stored the similar tickets that it named before.
 */
export async function drawCard(
  bridge: Bridge,
  ticket: Ticket,
  place: CardPlace,
  stored?: unknown,
): Promise<DrawnCard> {
  if (!(await mayShow(bridge, ticket, place))) return hiddenCard(ticket);
  const settings = await readQueueSettings(bridge, ticket);
  const isReadOnly = place.role === 'request' && settings?.enableUserActions === false;
  const request = await findByTicket(bridge.database.db, ticket.id);
  const reopened = request?.reopened === true && ticket.status.statusGroup.label === 'Open';
  const reader = readerOf(ticket, place);
  const similar =
    reader === 'triage' || reader === 'team' ? await similarFor(bridge, ticket, stored) : undefined;
  const facts = {
    ...(await readCardFacts(bridge, ticket)),
    reopened,
    similar: similar?.tickets ?? [],
    ...(reader === 'triage' ? { ...linksOf(bridge, ticket, request), words: wordsBeyondTitle(ticket) } : {}),
  };
  const controls = isReadOnly
    ? undefined
    : await controlsOf(bridge, ticket, reader, { mergedInto: facts.mergedInto, alone: isOfOne(place) });
  if (reader !== 'requester') return { ...cardOf(facts, controls), similar };
  const { firstReply } = facts;
  return {
    ...requesterCard(facts, controls),
    promisedUntil: firstReply?.isOver ? undefined : firstReply?.at,
  };
}

/** Returns where the team goes on from its card: to the thread with the requester, and to the desk. */
function linksOf(
  bridge: Bridge,
  { code }: Ticket,
  request: Conversation | undefined,
): Pick<CardFacts, 'threadUrl' | 'deskUrl'> {
  const { url } = bridge.bot;
  const thread = request && { channel: request.channel_id, ts: request.thread_ts };
  return {
    threadUrl: url && thread && !isPlaceholderParent(thread.ts) ? permalinkOf(url, thread) : undefined,
    deskUrl: deskPageOf(bridge, code),
  };
}

/** Returns what a request says; undefined if its title says it all. */
function wordsBeyondTitle({ title, description }: Ticket): string | undefined {
  const words = markdownWords(description ?? '');
  return words === '' || words === title ? undefined : markdownExcerpt(description ?? '');
}

/** Returns the settings of a ticket's queue; undefined if it has none. */
export async function readQueueSettings({ channels }: Bridge, { queueId }: Pick<Ticket, 'queueId'>) {
  return queueId === null ? undefined : (await channels.queue(queueId))?.settings;
}

/** Returns who a card is for; everyone in its place can read it. */
function readerOf({ requesterId, assigneeId }: Ticket, place: CardPlace): Parameters<typeof controlsOf>[2] {
  const { role, recipient_user_id: party } = place;
  if (role === 'triage') return role;
  if (role === 'request' || party === requesterId) return 'requester';
  return party === assigneeId ? 'team' : 'reader';
}

/** Returns whether a place is the direct messages of one person with the bot: their ids begin with D. */
function isOfOne({ channel_id: channel }: CardPlace): boolean {
  return channel.startsWith('D');
}

/** A copy of a ticket's card in a place that has none yet; its thread is the team's, or a person's (B26, B27). */
export const CardCopy = z.object({
  ticket: z.string(),
  role: z.enum(['triage', 'direct']),
  /** The service's user whose direct messages these are. */
  party: z.string().optional(),
});
export type CardCopy = z.infer<typeof CardCopy>;

/**
 * Returns the status emoji for a conversation's parent message (B29); null if there is none.
 * @param visible whether the place may show anything of the ticket. Throws ServiceError.
 */
async function wantedStatus(
  bridge: Bridge,
  ticket: Ticket,
  { role }: Pick<Conversation, 'role'>,
  visible: boolean,
): Promise<string | null> {
  if (role !== 'request' || !visible) return null;
  const settings = await readQueueSettings(bridge, ticket);
  if (!settings?.enableEmojiUpdates || settings.silentMode) return null;
  return statusEmoji(ticket.status.statusGroup.label) ?? null;
}

/**
 * Plans the emoji if it differs from the last one wanted on this parent message. Call it under the conversation's
 * ordering key.
 */
async function planStatus(
  tx: BridgeTx,
  bridge: Bridge,
  conversation: Conversation,
  wanted: string | null,
): Promise<void> {
  const { id, thread_ts, status_ts } = conversation;
  if (!isStatusDue(conversation, wanted)) return;
  const isNewRoot = status_ts !== thread_ts;
  await tx
    .updateTable('conversation')
    .set({ status_wanted: wanted, ...(isNewRoot ? { status_ts: thread_ts, status_shown: null } : {}) })
    .where('id', '=', id)
    .execute();
  await planPosts(tx, bridge, { ...locationOf(conversation), orderingKey: statusKey(id) }, [
    { kind: featureKind('status') },
  ]);
}

function isStatusDue(
  { thread_ts, parent_deleted, status_wanted, status_ts }: Conversation,
  wanted: string | null,
): boolean {
  return !parent_deleted && wanted !== (status_ts === thread_ts ? status_wanted : null);
}

/** Updates the emoji on the parent message; many changes at once make one call (B29). */
export const statusPost = postKind('status', 'reaction', z.unknown(), async (bridge, writer, row) => {
  const { channel_id: channel, conversation_id: conversationId } = row;
  const conversation = await conversationOf(bridge.database.db, { conversationId });
  const { status_ts: ts, status_wanted: wanted, status_shown: shown } = conversation;
  // An earlier attempt may have done half of it: repeat both.
  if (ts === null || (wanted === shown && row.state !== 'sending')) return undefined;
  const record = (now: string | null) => async (tx: BridgeTx) => {
    await tx
      .updateTable('conversation')
      .set({ status_shown: now })
      .where('id', '=', conversationId)
      .where('status_ts', '=', ts)
      .execute();
  };
  const emoji = { remove: shown === null || shown === wanted ? [] : [shown], add: wanted };
  // The message is gone, or has the maximum number of emoji: the card shows the status.
  return emojiCall(writer, { channel, ts }, emoji, { after: record(wanted), gone: record(null) });
});

/** A conversation's card, as it is read with it. */
const KnownCard = z
  .object({
    shown: z
      .string()
      .transform((text) => new Date(text))
      .nullable(),
    stale: z.boolean(),
    claimed_until: z.string().nullable(),
  })
  .nullish()
  .transform((card) => card ?? undefined);

/**
 * Plans the card and the status emoji of some places; undefined for one where they are as the ticket is now. Throws
 * ServiceError.
 */
export async function mirrorCards(
  bridge: Bridge,
  { ticket, conversations, visible }: Parameters<Hooks['threadsMirrored']>[0],
): Promise<(Write | undefined)[]> {
  const writes: (Write | undefined)[] = [];
  for (const conversation of conversations) {
    const status = await wantedStatus(bridge, ticket, conversation, visible);
    const card = KnownCard.parse(conversation.known['card']);
    // The user who was replying has replied, which does not change the ticket (B57).
    const answered = visible && card?.claimed_until != null && ticket.metadata.claim === null;
    const isDue = !visible || answered || !isDrawn(card, ticket);
    writes.push(
      isDue || isStatusDue(conversation, status)
        ? async (tx) => {
            if (answered) await endClaim(tx, conversation);
            if (isDue) await planCard(tx, bridge, conversation);
            await planStatus(tx, bridge, conversation, status);
          }
        : undefined,
    );
  }
  return writes;
}

/**
 * Records for two minutes that a user is replying to a ticket, and shows it on its cards, so that two do not (B57).
 * Best effort: a service without claims, or an unavailable one, does not prevent a reply. Throws no ServiceError.
 * @returns the name of another user who is already replying.
 */
export async function claimTicket(
  bridge: Bridge,
  ticket: Ticket,
  { user_id: userId }: Person,
): Promise<string | undefined> {
  if (userId === null) return undefined;
  try {
    await bridge.service.claimTicket({ params: { id: ticket.id }, body: { userId } });
    await bridge.engine.transaction((tx) => redrawCards(tx, bridge, ticket.id));
    return undefined;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const isTaken = error instanceof AnsweredError && error.status === 409;
    return isTaken ? await claimantName(bridge, ticket.id) : undefined;
  }
}

async function claimantName(bridge: Bridge, ticketId: string): Promise<string | undefined> {
  try {
    const holder = (await readTicket(bridge, ticketId))?.metadata.claim?.userId;
    return holder === undefined ? undefined : (await userNames(bridge, [holder]))(holder);
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}
