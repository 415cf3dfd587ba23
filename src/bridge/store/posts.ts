// What is written to Slack is planned here, in the transaction of the decision, and sent once. turn.ts keeps the rate
// limits, send.ts sends, looks up what has an unknown outcome, and records it.

import type { Selectable } from 'kysely';
import { z } from 'zod';

import type { Clock } from '../../platform/clock.ts';
import type { NewId } from '../../platform/ids.ts';
import type { BridgeTables } from '../schema/tables.ts';
import { type BridgeTx, SEND, workFor } from '../work.ts';

/** A planned write. */
export type OutboxRow = Selectable<BridgeTables['outbox']>;

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
  /** Its queue, if that is not the queue of the place in which it goes on. */
  queue: z.string().nullish(),
  responseUrl: z.string().nullish(),
  /** The first message of its thread has files. */
  hasFiles: z.boolean().nullish(),
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
  /** The message is on the ticket of another conversation, which it leaves once it has its own (B8). */
  leaves: z.object({ conversation: z.string(), link: z.string() }).nullish(),
});
export type OpenRequest = z.infer<typeof OpenRequest>;

/** A post of those that a thread begins with. */
const FirstPart = z.object({ text: z.string(), blocks: Blocks });
export type FirstPart = z.infer<typeof FirstPart>;

/**
 * The first message of a thread and its sender, by default the bot's own text; and the posts that follow it at once.
 */
export const Words = z.object({
  text: z.string(),
  blocks: Blocks,
  more: z.array(FirstPart).optional(),
  as: As.optional(),
});
export type Words = z.infer<typeof Words>;

/** The body of a row of the kinds that belong to no feature. */
export const CorePost = z.discriminatedUnion('kind', [
  /** A part of a ticket message; its timestamp goes into the link. */
  z.object({
    kind: z.literal('post'),
    link: z.string(),
    text: z.string(),
    blocks: Blocks,
    thread: z.string(),
    as: As.optional(),
    /** Its message was written in Slack. */
    fromChat: z.boolean().optional(),
  }),
  /** An edit of a part; not sent if its link has another `version` by then. */
  z.object({
    kind: z.literal('edit'),
    link: z.string(),
    text: z.string(),
    blocks: Blocks,
    version: z.string().optional(),
    fromChat: z.boolean().optional(),
  }),
  z.object({ kind: z.literal('delete'), link: z.string() }),
  /** A file of ours whose message is gone, or never came; in a lane of its own. */
  z.object({ kind: z.literal('delete-file'), file: z.string() }),
  /**
   * A message of the bot itself in the conversation's thread, in that of another message (`under`), or in the channel.
   */
  z.object({
    kind: z.literal('bot-message'),
    text: z.string(),
    blocks: Blocks.optional(),
    thread: z.string().optional(),
    under: z.string().optional(),
    /** Default the bot. */
    as: As.optional(),
  }),
  /** The parent message of a thread that a command opens. */
  z.object({
    kind: z.literal('parent'),
    text: z.string(),
    blocks: Blocks,
    /** The posts that follow it at once, in its thread. */
    more: z.array(FirstPart).optional(),
    as: As.optional(),
    open: OpenRequest,
  }),
  /** A separate place for a private ticket's thread (B8, B11): a private channel, else a direct message. */
  z.object({
    kind: z.literal('private-place'),
    code: z.string(),
    channel: z.boolean(),
    /** Its members besides the queue's team; the requester first. */
    people: z.array(z.string()),
    queue: z.string(),
  }),
  /** The first message of a conversation whose thread has none yet. */
  z.object({ kind: z.literal('first-message'), words: Words.optional() }),
  /** Shown to one user, best effort, at most once (B0a). */
  z.object({
    kind: z.literal('ephemeral'),
    user: z.string(),
    text: z.string(),
    thread: z.string().optional(),
  }),
]);
export type CorePost = z.infer<typeof CorePost>;

/** The name of a kind that a feature registers. */
type FeatureKind = string & { readonly feature: true };
export const featureKind = (name: string) => name as FeatureKind;

/** A planned write to chat. */
type Post = CorePost | { kind: FeatureKind; [field: string]: unknown };

interface Place {
  /** Null for a parent message without a conversation. */
  conversationId: string | null;
  team: string;
  channel: string;
  /** Writes with the same key are sent in order; default the conversation. */
  orderingKey?: string;
}

/**
 * Plans the deletion of a file from Slack. No words wait for it: nobody sees more of the file meanwhile than in the
 * search of Slack's files.
 */
export function planFileRemoval(
  tx: BridgeTx,
  tools: { newId: NewId; clock: Clock },
  place: Place,
  file: string,
): Promise<void> {
  return planPosts(tx, tools, { ...place, orderingKey: `file:${file}` }, [{ kind: 'delete-file', file }]);
}

/** Plans writes to chat in the caller's transaction. Those with the same ordering key are sent in order. */
export async function planPosts(
  tx: BridgeTx,
  { newId, clock }: { newId: NewId; clock: Clock },
  { conversationId, team, channel, orderingKey }: Place,
  bodies: readonly Post[],
): Promise<void> {
  if (bodies.length === 0) return;
  const rows = bodies.map((body) => ({
    id: newId('out'),
    conversation_id: conversationId,
    team_id: team,
    channel_id: channel,
    kind: body.kind,
    link_id: 'link' in body && typeof body.link === 'string' ? body.link : null,
    body: JSON.stringify(body),
    state: 'planned' as const,
    planned_at: clock.now(),
  }));
  await tx.insertInto('outbox').values(rows).execute();
  tx.plan.add(...rows.map(({ id }) => workFor(SEND, orderingKey ?? conversationId ?? id, { outbox: id })));
}
