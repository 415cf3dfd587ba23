import type { Selectable } from 'kysely';
import { z } from 'zod';

import type { Tx } from '../../platform/database/open.ts';
import { enqueue } from '../../platform/jobs/index.ts';
import type { Bridge } from '../bridge.ts';
import { cardKey } from '../slack/ids.ts';
import type { BridgeTables } from '../schema/tables.ts';

export type OutboxRow = Selectable<BridgeTables['outbox']>;

/** The queue of planned writes: replies in order per conversation, many conversations at once. */
export const CHAT_QUEUE = 'chat';

const As = z.object({
  name: z.string().optional(),
  iconUrl: z.string().optional(),
  iconEmoji: z.string().optional(),
});
const Blocks = z.array(z.unknown());

/** The ticket that a command or shortcut opens once its parent message is posted. */
export const OpenRequest = z.object({
  title: z.string(),
  description: z.string(),
  requester: z.string(),
  private: z.boolean(),
  responseUrl: z.string().nullish(),
  /** The ticket that it follows up on, and the thread of that ticket (B22). */
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

/** A copy of a ticket's card in a place that has none yet; its thread is the team's, or a user's (B26, B27). */
const CardCopy = z.object({
  ticket: z.string(),
  role: z.enum(['triage', 'direct']),
  /** The service's user whose direct messages these are. */
  party: z.string().optional(),
});
export type CardCopy = z.infer<typeof CardCopy>;

/** The first message of a thread and its sender; by default the bot's own text. */
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
  /** An edit of a part; not sent if its link has another `version` by then. */
  z.object({
    kind: z.literal('edit'),
    link: z.string(),
    text: z.string(),
    blocks: Blocks,
    version: z.string().optional(),
  }),
  z.object({ kind: z.literal('delete'), link: z.string() }),
  /** A file of a ticket message; its progress is stored with its link. */
  z.object({ kind: z.literal('file'), link: z.string(), as: As.optional() }),
  /**
   * A message of the bot itself in the conversation's thread, in that of another message (`under`), or in the channel.
   */
  z.object({
    kind: z.literal('line'),
    text: z.string(),
    blocks: Blocks.optional(),
    thread: z.string().optional(),
    under: z.string().optional(),
    /** Announces a change of the ticket: not sent if it is no longer relevant (B14, B30). */
    tells: z.string().optional(),
  }),
  /** The card, drawn from the service's record when it is sent; an unchanged card is not sent again. */
  z.object({ kind: z.literal('card'), copy: CardCopy.optional() }),
  /** The parent message of a thread that a command opens. */
  z.object({
    kind: z.literal('root'),
    text: z.string(),
    blocks: Blocks,
    as: As.optional(),
    open: OpenRequest,
  }),
  /** A separate place for a private ticket's thread (B8, B11): a private channel, else a direct message. */
  z.object({
    kind: z.literal('room'),
    code: z.string(),
    channel: z.boolean(),
    /** Its members besides the queue's team; the requester first. */
    people: z.array(z.string()),
    queue: z.string(),
  }),
  /** The first message of a conversation whose thread has none yet. */
  z.object({ kind: z.literal('begin'), words: Words.optional() }),
  /** The status reaction on a message, as stored when it is sent (B54). */
  z.object({ kind: z.literal('mark'), ts: z.string() }),
  /** The status emoji on the conversation's parent message, as stored when it is sent (B29). */
  z.object({ kind: z.literal('status') }),
  /** The bot's emoji on a ticket message, as stored when it is sent (B12). */
  z.object({ kind: z.literal('reaction'), message: z.string(), emoji: z.string() }),
  /** A question in a user's direct messages, drawn from the service's record when it is sent (B39, B40). */
  z.object({
    kind: z.literal('ask'),
    ask: z.enum(['approval', 'survey']),
    ticket: z.string(),
    user: z.string(),
  }),
  /** Previews of ticket links, below the message or in the draft that contains them (B41). */
  z.object({
    kind: z.literal('unfurl'),
    ts: z.string(),
    thread: z.string().optional(),
    /** Slack's id of the place of the links; absent in older events. */
    unfurlId: z.string().optional(),
    source: z.enum(['composer', 'conversations_history']).optional(),
    urls: z.array(z.string()),
  }),
  /** A user's Home, drawn when it is sent; its place is the user (B38). */
  z.object({ kind: z.literal('home') }),
  /** Shown to one user, best effort, at most once (B0a). */
  z.object({ kind: z.literal('whisper'), user: z.string(), text: z.string(), thread: z.string().optional() }),
]);
export type OutboxBody = z.infer<typeof OutboxBody>;

interface Place {
  /** Null for a parent message without a conversation. */
  conversationId: string | null;
  team: string;
  channel: string;
  /** Writes with the same key are sent in order; default the conversation. */
  orderingKey?: string;
}

/**
 * Plans writes to chat in the caller's transaction. Those with the same ordering key are sent in order; a
 * conversation's card has its own key, because it is drawn when it is sent and must not delay messages.
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
