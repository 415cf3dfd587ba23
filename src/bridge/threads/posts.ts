import { z } from 'zod';

import { GiveUp } from '../../platform/engine/index.ts';
import { escapeMrkdwn } from '../../platform/text/mrkdwn.ts';
import type { Bridge } from '../bridge.ts';
import { planPosts, planFileRemoval, CorePost, OpenRequest, type OutboxRow } from '../store/posts.ts';
import {
  type Conversation,
  locationOf,
  conversationOfRow,
  conversationOfThread,
} from '../store/conversations.ts';
import { type Call, type PostKind, messageKind, postKind } from '../outbox/post-kind.ts';
import { respond } from '../slack/respond.ts';
import type { ChatWriter } from '../slack/writer.ts';
import { linkById, type MessageLink, metadataOfPart } from '../store/links.ts';
import { privateChannelCall } from './private-channel.ts';
import { planRest } from './first-post.ts';
import { startNewThread, postInThread, postUnlessOrphaned } from './post-in-thread.ts';
import { type BridgeTx, CLASSES, POSTED, workFor, workKind } from '../work.ts';

/** The first message of a ticket stands: its ticket is opened. */
export const OPEN = workKind(
  'open',
  CLASSES.conversation,
  z.object({ open: OpenRequest, conversation: z.string() }),
);

/** A message that has a ticket of its own leaves the one that it was added to, in whose lane this is done. */
export const LEAVE = workKind('leave', CLASSES.conversation, z.object({ link: z.string() }));

/** Part of a ticket message was posted: records it in the service, or deletes it if it must not be shown any more. */
export async function recordPost(
  tx: BridgeTx,
  bridge: Bridge,
  conversation: Conversation,
  linkId: string,
  ts: string,
): Promise<void> {
  const posted = await tx
    .updateTable('message_link')
    .set({ ts })
    .where('id', '=', linkId)
    .returning('deleted')
    .executeTakeFirst();
  if (posted?.deleted)
    return planPosts(tx, bridge, locationOf(conversation), [{ kind: 'delete', link: linkId }]);
  await bridge.hooks.messageLinked(tx, conversation.id, {
    team: conversation.team_id,
    channel: conversation.channel_id,
    ts,
  });
  tx.plan.add(workFor(POSTED, conversation.id, { link: linkId }));
}

type BodyOf<Kind extends CorePost['kind']> = Extract<CorePost, { kind: Kind }>;
const [POST, EDIT, DELETE, DELETE_FILE, BOT_MESSAGE, PARENT, PRIVATE_PLACE, FIRST_MESSAGE, EPHEMERAL] =
  CorePost.options;

/** The kinds of posts that a conversation consists of. */
export const posts: readonly PostKind[] = [
  messageKind('post', 'reply', POST, postCall),
  postKind('edit', 'reply', EDIT, editCall),
  postKind('delete', 'reply', DELETE, deleteCall),
  postKind('delete-file', 'reply', DELETE_FILE, (_bridge, writer, _row, { file }) => ({
    methods: ['files.delete'],
    make: () => writer.removeFile(file).then(() => undefined),
  })),
  messageKind('bot-message', 'reply', BOT_MESSAGE, lineCall),
  messageKind('parent', 'reply', PARENT, parentCall),
  postKind('private-place', 'reply', PRIVATE_PLACE, async (bridge, writer, row, body) => {
    const conversation = await conversationOfRow(bridge, row);
    return conversation && privateChannelCall(bridge, writer, row, body, conversation);
  }),
  messageKind('first-message', 'reply', FIRST_MESSAGE, async (bridge, writer, row, { words }) => {
    const conversation = await conversationOfRow(bridge, row);
    if (!conversation?.parent_deleted) return undefined;
    return {
      methods: ['chat.postMessage'],
      lookIn: { thread: undefined },
      make: () => startNewThread(bridge, writer, row, conversation, words),
    };
  }),
  postKind('ephemeral', 'reply', EPHEMERAL, async (bridge, writer, { channel_id: channel }, body) => {
    const { user, text, thread } = body;
    const as = await bridge.channels.botIdentity(channel);
    return {
      methods: ['chat.postEphemeral'],
      make: () => writer.ephemeral(channel, user, text, { thread, as }).then(() => undefined),
    };
  }),
];

/** A line of the bot itself. */
export async function lineCall(
  bridge: Bridge,
  writer: ChatWriter,
  row: OutboxRow,
  { text, blocks, thread, under, as: sender }: Omit<BodyOf<'bot-message'>, 'kind'>,
): Promise<Call> {
  const channel = row.channel_id;
  const conversation = thread ? await conversationOfRow(bridge, row) : undefined;
  const as = sender ?? (await bridge.channels.botIdentity(channel));
  return {
    methods: ['chat.postMessage'],
    lookIn: { thread: conversation?.thread_ts ?? under },
    make: async (id) =>
      conversation
        ? postUnlessOrphaned(bridge, writer, conversation, { text, blocks, as, metadata: { id } })
        : (await writer.post({ channel, text, blocks, thread: under, as, metadata: { id } })).ts,
    takeBack: (ts) => writer.remove(channel, ts),
  };
}

/** The first message of a ticket from a command; the ticket opens after it is posted. */
function parentCall(
  bridge: Bridge,
  writer: ChatWriter,
  row: OutboxRow,
  { text, blocks, more = [], as, open }: BodyOf<'parent'>,
): Call {
  const channel = row.channel_id;
  return {
    methods: ['chat.postMessage'],
    lookIn: { thread: undefined },
    make: async (id) => (await writer.post({ channel, text, blocks, as, metadata: { id } })).ts,
    refused: async (reason) => {
      if (open.responseUrl)
        await respond(bridge, open.responseUrl, {
          text: `No ticket was opened: I cannot post there (${escapeMrkdwn(reason)}). Invite me with /invite and try again.`,
        });
    },
    after: async (tx, ts) => {
      if (ts === undefined) return;
      const conversation = await conversationOfThread(tx, { team: row.team_id, channel, root: ts }, bridge);
      const { id } = conversation;
      tx.plan.add(workFor(OPEN, id, { open, conversation: id }));
      await planRest(tx, bridge, conversation, more, as);
    },
  };
}

/** A part of a ticket message. */
async function postCall(
  bridge: Bridge,
  writer: ChatWriter,
  row: OutboxRow,
  body: BodyOf<'post'>,
): Promise<Call | undefined> {
  const link = await linkById(bridge.database.db, body.link);
  const conversation = await conversationOfRow(bridge, row);
  if (!link || !conversation) return undefined;
  // Deleted, or made private, while it waited: it is not posted (B14).
  if (link.deleted && row.state !== 'sending') return undefined;
  const { text, blocks, as, fromChat } = body;
  return {
    methods: ['chat.postMessage'],
    lookIn: { thread: conversation.thread_ts },
    part: body.link,
    make: (id) =>
      postInThread(bridge, writer, row, conversation, {
        text,
        blocks,
        as,
        metadata: metadataOfPart(id, link, fromChat),
      }),
    takeBack: (ts) => writer.remove(row.channel_id, ts),
    after: async (tx, ts) => {
      if (ts === undefined) return;
      await recordPost(tx, bridge, conversation, body.link, ts);
    },
  };
}

/** New words of a part. */
async function editCall(
  { database }: Bridge,
  writer: ChatWriter,
  row: OutboxRow,
  body: BodyOf<'edit'>,
): Promise<Call | undefined> {
  const { db } = database;
  const wanted = async (): Promise<MessageLink | undefined> => {
    const link = await linkById(db, body.link);
    // Deleted, edited again, or no longer visible in its place, while it waited (B13, B14).
    const isStale = body.version !== undefined && body.version !== link?.version;
    return !link || link.deleted || isStale ? undefined : link;
  };
  const link = await wanted();
  if (!link) return undefined;
  // It runs after its post: a post that could not be delivered takes its edits with it (B49).
  if (!link.ts) throw new GiveUp('the post that this belongs to never went through');
  const { ts } = link;
  return {
    methods: ['chat.update'],
    make: async (id) => {
      const now = await wanted();
      if (!now) return ts;
      const metadata = metadataOfPart(id, now, body.fromChat);
      await writer.update(row.channel_id, ts, body.text, body.blocks, metadata);
      return ts;
    },
    gone: (tx) => setLinkDeleted(tx, body.link),
  };
}

/** A part, or a file, that is to go. */
async function deleteCall(
  bridge: Bridge,
  writer: ChatWriter,
  row: OutboxRow,
  body: BodyOf<'delete'>,
): Promise<Call | undefined> {
  const link = await linkById(bridge.database.db, body.link);
  if (!link?.ts) return undefined;
  const { ts } = link;
  const file = await bridge.hooks.fileOf(body.link);
  return {
    methods: ['chat.delete'],
    make: async () => {
      await writer.remove(row.channel_id, ts);
      return ts;
    },
    after: async (tx) => {
      const { conversation_id: conversationId, team_id: team, channel_id: channel } = row;
      if (file) await planFileRemoval(tx, bridge, { conversationId, team, channel }, file);
    },
    gone: (tx) => setLinkDeleted(tx, body.link),
  };
}

async function setLinkDeleted(tx: BridgeTx, link: string): Promise<void> {
  await tx.updateTable('message_link').set({ deleted: true }).where('id', '=', link).execute();
}
