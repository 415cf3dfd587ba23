import type { Tx } from '../../platform/database/open.ts';
import { enqueue, DeadLetter } from '../../platform/jobs/index.ts';
import type { Bridge } from '../bridge.ts';
import type { Mark } from '../slack/mark.ts';
import type { OutboxBody, OutboxRow } from './outbox.ts';
import { respond } from '../slack/respond.ts';
import type { Call } from './send.ts';
import type { ChatWriter } from '../slack/writer.ts';
import { CONVERSATION_QUEUE } from '../inbox/store.ts';
import { conversationOfThread } from '../threads/conversations.ts';
import { linkById, type MessageLink } from '../threads/messages.ts';
import type { BridgeTables } from '../schema/tables.ts';
import { escapeChat } from '../text/to-chat.ts';
import { uploadOf } from '../features/files/store.ts';
import { statusCall } from '../features/cards/mark-status.ts';
import { reactionCall } from '../features/reactions/mirror-reactions.ts';
import { roomCall } from '../threads/open-room.ts';
import { beginAnew, postInThread, postUnlessFallen } from '../threads/post-in-thread.ts';
import { recordPost } from '../threads/record-post.ts';
import { askCall } from '../features/approvals/send-ask.ts';
import { homeCall } from '../features/home/show-home.ts';
import { markCall } from '../features/delivery-status/show-mark.ts';
import { cardCall, conversationOfRow, copyCall } from '../features/cards/send-card.ts';
import { mayTell } from '../features/cards/tell-changes.ts';
import { unfurlCall } from '../features/unfurls/unfurl-links.ts';
import { prepareFile } from '../features/files/upload-file.ts';

/** Turns a planned row into a call, with what to record once Slack has accepted it. */
export async function prepareCall(
  bridge: Bridge,
  writer: ChatWriter,
  row: OutboxRow,
  body: OutboxBody,
): Promise<Call | undefined> {
  const channel = row.channel_id;
  switch (body.kind) {
    case 'post':
      return postCall(bridge, writer, row, body);
    case 'file': {
      const conversation = await conversationOfRow(bridge, row);
      return conversation && prepareFile(bridge, writer, row, body, conversation);
    }
    case 'line': {
      const { text, blocks, under: thread } = body;
      const conversation = body.thread ? await conversationOfRow(bridge, row) : undefined;
      if (body.tells && conversation && !(await mayTell(bridge, body.tells, conversation))) return undefined;
      const as = await bridge.channels.botFace(channel);
      return {
        methods: ['chat.postMessage'],
        lookIn: { thread: conversation?.thread_ts ?? thread },
        make: async (id) =>
          conversation
            ? postUnlessFallen(bridge, writer, conversation, { text, blocks, as, mark: { id } })
            : (await writer.post({ channel, text, blocks, thread, as, mark: { id } })).ts,
        takeBack: (ts) => writer.remove(channel, ts),
      };
    }
    case 'root':
      return {
        methods: ['chat.postMessage'],
        lookIn: { thread: undefined },
        make: async (id) =>
          (await writer.post({ channel, text: body.text, blocks: body.blocks, as: body.as, mark: { id } }))
            .ts,
        refused: async (reason) => {
          if (body.open.responseUrl)
            await respond(bridge, body.open.responseUrl, {
              text: `No ticket was opened: chat does not let me write there (${escapeChat(reason)}). Invite me with /invite and try again.`,
            });
        },
        after: async (tx, ts) => {
          if (ts === undefined) return;
          const { id } = await conversationOfThread(tx, { team: row.team_id, channel, root: ts }, bridge);
          await enqueue(tx, [
            {
              queue: CONVERSATION_QUEUE,
              orderingKey: id,
              payload: {
                open: {
                  ...body.open,
                  responseUrl: body.open.responseUrl ?? null,
                  follows: body.open.follows ?? null,
                },
                conversation: id,
              },
            },
          ]);
        },
      };
    case 'room': {
      const conversation = await conversationOfRow(bridge, row);
      return conversation && roomCall(bridge, writer, row, body, conversation);
    }
    case 'begin': {
      const conversation = await conversationOfRow(bridge, row);
      if (!conversation?.parent_deleted) return undefined;
      return {
        methods: ['chat.postMessage'],
        lookIn: { thread: undefined },
        make: () => beginAnew(bridge, writer, row, conversation, body.words),
      };
    }
    case 'edit':
      return editCall(bridge, writer, row, body);
    case 'delete':
      return deleteCall(bridge, writer, row, body);
    case 'card':
      return body.copy ? copyCall(bridge, writer, row, body.copy) : cardCall(bridge, writer, row);
    case 'mark':
      return markCall(bridge, writer, row, body.ts);
    case 'status':
      return statusCall(bridge, writer, row);
    case 'reaction':
      return reactionCall(bridge, writer, row, body);
    case 'ask':
      return askCall(bridge, writer, row, body);
    case 'unfurl':
      return unfurlCall(bridge, writer, row, body);
    case 'home':
      return homeCall(bridge, writer, row);
    case 'whisper': {
      const { user, text, thread } = body;
      const as = await bridge.channels.botFace(channel);
      return {
        methods: ['chat.postEphemeral'],
        make: () => writer.whisper(channel, user, text, { thread, as }).then(() => undefined),
      };
    }
  }
}

/** A part of a ticket message. */
async function postCall(
  bridge: Bridge,
  writer: ChatWriter,
  row: OutboxRow,
  body: Extract<OutboxBody, { kind: 'post' }>,
): Promise<Call | undefined> {
  const link = await linkById(bridge.database.db, body.link);
  const conversation = await conversationOfRow(bridge, row);
  if (!link || !conversation) return undefined;
  // Deleted or made private while it waited: then it must not be shown (B14).
  if (link.deleted && row.state !== 'sending') return undefined;
  const { text, blocks, as } = body;
  return {
    methods: ['chat.postMessage'],
    lookIn: { thread: conversation.thread_ts },
    make: async (id) => {
      // From here on the row counts as started: a later deletion keeps the link, and is handled below.
      const now = await linkById(bridge.database.db, body.link);
      if (!now || now.deleted) return undefined;
      return postInThread(bridge, writer, row, conversation, { text, blocks, as, mark: markOf(id, link) });
    },
    takeBack: (ts) => writer.remove(row.channel_id, ts),
    after: async (tx, ts) => {
      if (ts === undefined) return;
      await recordPost(tx, bridge, conversation, body.link, ts);
    },
  };
}

/** An edit of a part. */
async function editCall(
  { database }: Bridge,
  writer: ChatWriter,
  row: OutboxRow,
  body: Extract<OutboxBody, { kind: 'edit' }>,
): Promise<Call | undefined> {
  const { db } = database;
  const wanted = async (): Promise<MessageLink | undefined> => {
    const link = await linkById(db, body.link);
    // Deleted, edited again, or no longer to be shown there, while it waited (B13, B14).
    const isStale = body.version !== undefined && body.version !== link?.version;
    return !link || link.deleted || isStale ? undefined : link;
  };
  const link = await wanted();
  if (!link) return undefined;
  // It waits behind its post: a post that failed permanently takes its edits with it (B49).
  if (!link.ts) throw new DeadLetter('the post that this belongs to never went through');
  const { ts } = link;
  return {
    methods: ['chat.update'],
    make: async (id) => {
      const now = await wanted();
      if (now) await writer.update(row.channel_id, ts, body.text, body.blocks, markOf(id, now));
      return ts;
    },
    gone: (tx) => setGone(tx, body.link),
  };
}

/** A part or a file to delete. */
async function deleteCall(
  { database }: Bridge,
  writer: ChatWriter,
  row: OutboxRow,
  body: Extract<OutboxBody, { kind: 'delete' }>,
): Promise<Call | undefined> {
  const link = await linkById(database.db, body.link);
  if (!link?.ts) return undefined;
  const { ts } = link;
  const file = (await uploadOf(database.db, body.link))?.file_id;
  return {
    methods: file ? ['chat.delete', 'files.delete'] : ['chat.delete'],
    make: async () => {
      await writer.remove(row.channel_id, ts);
      if (file) await writer.removeFile(file);
      return ts;
    },
    gone: (tx) => setGone(tx, body.link),
  };
}

async function setGone(tx: Tx<BridgeTables>, link: string): Promise<void> {
  await tx.updateTable('message_link').set({ deleted: true }).where('id', '=', link).execute();
}

function markOf(id: string, { ticket_message_id: message, part, version }: MessageLink): Mark {
  return { id, message, part, version };
}
