import type { Selectable } from 'kysely';
import { z } from 'zod';

import type { Tx } from '../../platform/database/open.ts';
import { enqueue } from '../../platform/jobs/index.ts';
import type { Bridge } from '../bridge.ts';
import { cardKey } from '../slack/ids.ts';
import type { BridgeTables } from '../schema/tables.ts';

export type OutboxRow = Selectable<BridgeTables['outbox']>;

/** The queue that sends what was planned: replies in order per conversation, many conversations at once. */
export const CHAT_QUEUE = 'chat';

const As = z.object({
  name: z.string().optional(),
  iconUrl: z.string().optional(),
  iconEmoji: z.string().optional(),
});
const Blocks = z.array(z.unknown());

/** What a command or shortcut wants opened once its root message stands in chat. */
export const OpenRequest = z.object({
  title: z.string(),
  description: z.string(),
  requester: z.string(),
  private: z.boolean(),
  responseUrl: z.string().nullish(),
  /** The ticket that it follows up on, and the thread where that is said (B22). */
  follows: z
    .object({
      ticket: z.string(),
      code: z.string(),
      conversation: z.string(),
      channel: z.string(),
      root: z.string(),
    })
    .nullish(),
});
export type OpenRequest = z.infer<typeof OpenRequest>;

/** A copy of a ticket's card in a place that has none yet; its thread is the team's, or a person's (B26, B27). */
const CardCopy = z.object({
  ticket: z.string(),
  role: z.enum(['triage', 'direct']),
  /** The service's user whose direct messages these are. */
  party: z.string().optional(),
});
export type CardCopy = z.infer<typeof CardCopy>;

/** What a thread begins with, under whose name; where absent, the bot's own words. */
export const Words = z.object({ text: z.string(), blocks: Blocks, as: As.optional() });
export type Words = z.infer<typeof Words>;

/** The body of an outbox row, by its kind. */
export const OutboxBody = z.discriminatedUnion('kind', [
  /** A part of a ticket message; its timestamp goes into the link. */
  z.object({
    kind: z.literal('post'),
    link: z.string(),
    text: z.string(),
    blocks: Blocks,
    thread: z.string(),
    as: As.optional(),
  }),
  /** New words of a part; not sent once its link tells of another `version` than theirs (absent on rows of before). */
  z.object({
    kind: z.literal('edit'),
    link: z.string(),
    text: z.string(),
    blocks: Blocks,
    version: z.string().optional(),
  }),
  z.object({ kind: z.literal('delete'), link: z.string() }),
  /** A file of a ticket message; how far it has come stands beside its link. */
  z.object({ kind: z.literal('file'), link: z.string(), as: As.optional() }),
  /** A line of the bot itself in the conversation's thread, in that of another message (`under`), or in the channel. */
  z.object({
    kind: z.literal('line'),
    text: z.string(),
    blocks: Blocks.optional(),
    thread: z.string().optional(),
    under: z.string().optional(),
    /** It tells what changed on the ticket: not said where that is nobody's business any more (B14, B30). */
    tells: z.string().optional(),
  }),
  /** The card, drawn from the service's record at the moment it is sent; one that shows it already is not sent again. */
  z.object({ kind: z.literal('card'), copy: CardCopy.optional() }),
  /** The first message of a thread that a command opens. */
  z.object({
    kind: z.literal('root'),
    text: z.string(),
    blocks: Blocks,
    as: As.optional(),
    open: OpenRequest,
  }),
  /** A place of its own for a private ticket's talk (B8, B11): a private channel, else a direct conversation. */
  z.object({
    kind: z.literal('room'),
    code: z.string(),
    channel: z.boolean(),
    /** Who is there beside the queue's team; the requester first. */
    people: z.array(z.string()),
    queue: z.string(),
  }),
  /** The first message of a conversation whose thread has none yet. */
  z.object({ kind: z.literal('begin'), words: Words.optional() }),
  /** The bot's mark on a message, as its receipt says at the moment it is sent (B54). */
  z.object({ kind: z.literal('mark'), ts: z.string() }),
  /** The status' emoji on the conversation's first message, as its row says at the moment it is sent (B29). */
  z.object({ kind: z.literal('status') }),
  /** The bot's emoji on a ticket message, as its row says at the moment it is sent (B12). */
  z.object({ kind: z.literal('reaction'), message: z.string(), emoji: z.string() }),
  /** A question in somebody's direct messages, drawn from the service's record at the moment it is sent (B39, B40). */
  z.object({
    kind: z.literal('ask'),
    ask: z.enum(['approval', 'survey']),
    ticket: z.string(),
    user: z.string(),
  }),
  /** What links to tickets lead to, under the message or in the draft that has them (B41). */
  z.object({
    kind: z.literal('unfurl'),
    ts: z.string(),
    thread: z.string().optional(),
    /** What chat calls the place of the links; absent in older events. */
    unfurlId: z.string().optional(),
    source: z.enum(['composer', 'conversations_history']).optional(),
    urls: z.array(z.string()),
  }),
  /** Somebody's Home, drawn as things are at the moment it is sent; its place is the person (B38). */
  z.object({ kind: z.literal('home') }),
  /** Seen by one person, best effort, at most once (B0a). */
  z.object({ kind: z.literal('whisper'), user: z.string(), text: z.string(), thread: z.string().optional() }),
]);
export type OutboxBody = z.infer<typeof OutboxBody>;

interface Place {
  /** Null for a root that has no conversation yet. */
  conversationId: string | null;
  team: string;
  channel: string;
  /** What must be sent in order; the conversation, where it has one. */
  orderingKey?: string;
}

/**
 * Plans writes to chat in the caller's transaction. Those of a lane are sent in their order; a conversation's card has a
 * lane of its own, for it is drawn when it is sent and must hold up nobody's words.
 */
export async function plan(
  tx: Tx<BridgeTables>,
  { newId, clock }: Pick<Bridge, 'newId' | 'clock'>,
  { conversationId, team, channel, orderingKey }: Place,
  bodies: readonly OutboxBody[],
): Promise<void> {
  for (const body of bodies) {
    const id = newId('out');
    await tx
      .insertInto('outbox')
      .values({
        id,
        conversation_id: conversationId,
        team_id: team,
        channel_id: channel,
        kind: body.kind,
        body: JSON.stringify(body),
        state: 'planned',
        planned_at: clock.now(),
      })
      .execute();
    const defaultKey =
      body.kind === 'card' && conversationId !== null ? cardKey(conversationId) : conversationId;
    await enqueue(tx, [
      { queue: CHAT_QUEUE, orderingKey: orderingKey ?? defaultKey ?? id, payload: { outbox: id } },
    ]);
  }
}
