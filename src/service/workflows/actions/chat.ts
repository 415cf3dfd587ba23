import { sql } from 'kysely';
import { z } from 'zod';

import { ID_PREFIXES } from '../../../contract/index.ts';
import { EXPIRES_MS } from '../../chat-requests/handlers.ts';
import type { ServiceTx } from '../../handler.ts';
import { requireIds } from '../../references.ts';
import { ticketKey } from '../../tickets/find.ts';
import { ticketDetail } from '../../tickets/records.ts';
import { StepFailure } from '../values.ts';
import { type Action, type ActionContext, type ActionResult, readInputs, ticketFor } from './action.ts';
import { idInput } from './inputs.ts';

/** Maximum length of a text that fits into one Slack message. */
export const LONGEST = 2_000;
const content = z.string().min(1).max(LONGEST);
const Post = z.object({ channelId: idInput, content });
const DirectMessage = z.object({ userId: idInput, content });
/** An emoji by its name in chat, with colons or without. */
const emoji = z
  .string()
  .trim()
  .regex(
    /^:?[a-z0-9_+'-]{1,100}(::skin-tone-[2-6])?:?$/,
    'Expected the name of an emoji, such as white_check_mark',
  )
  .transform((name) => name.replace(/^:|:$/g, ''));
const Reaction = z.object({ channelId: idInput, messageTs: idInput, emoji });

interface NewRequest {
  kind: 'post' | 'direct-message' | 'reaction';
  /** Chat's own id. */
  channelId: string | null;
  userId: string | null;
  content: string;
  reactsTo?: string;
  outputs: Record<string, unknown>;
}

const post: Action = async (tx, context, inputs) => {
  const { channelId, content: words } = readInputs(Post, inputs);
  return ask(tx, context, {
    kind: 'post',
    channelId: await linkedChannel(tx, context, channelId),
    userId: null,
    content: words,
    outputs: { channelId },
  });
};

/** Adds an emoji to a post. */
const react: Action = async (tx, context, inputs) => {
  const { channelId, messageTs, emoji: name } = readInputs(Reaction, inputs);
  return ask(tx, context, {
    kind: 'reaction',
    channelId: await linkedChannel(tx, context, channelId),
    userId: null,
    content: name,
    reactsTo: messageTs,
    outputs: { channelId },
  });
};

/** Returns chat's own id of a linked channel. */
async function linkedChannel(tx: ServiceTx, { workspaceId }: ActionContext, id: string): Promise<string> {
  const channel = await tx
    .selectFrom('chat_channel')
    .select('channel_id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (!channel) throw new StepFailure('The channel is not linked any more.');
  return channel.channel_id;
}

const directMessage: Action = async (tx, context, inputs) => {
  const { userId, content: words } = readInputs(DirectMessage, inputs);
  await requireIds(tx, 'person', context.workspaceId, [userId], 'userId');
  return ask(tx, context, {
    kind: 'direct-message',
    channelId: null,
    userId,
    content: words,
    outputs: { userId },
  });
};

/** Asks chat to write something, once, and waits until it says what became of it. */
async function ask(tx: ServiceTx, context: ActionContext, request: NewRequest): Promise<ActionResult> {
  const { now, waiting, run, workspaceId } = context;
  const wait: ActionResult = {
    kind: 'wait',
    wait: {
      ticketId: context.ticketId,
      event: 'chat',
      until: waiting?.until ?? new Date(now.getTime() + EXPIRES_MS),
    },
  };
  // A try-out asks nobody.
  if (!run) return wait;
  const asked = await tx
    .selectFrom('chat_request')
    .select(['state', 'message_ts', 'error'])
    .where('workspace_id', '=', workspaceId)
    .where('run_id', '=', run.id)
    .where('step_id', '=', run.stepId)
    .executeTakeFirst();
  // Also where the step is tried again: it failed after chat had written it.
  if (asked?.state === 'done')
    return { kind: 'done', outputs: { ...request.outputs, messageTs: asked.message_ts } };
  if (!waiting) {
    if (asked?.state === 'pending') {
      await keepAsking(tx, context, run);
      return wait;
    }
    if (!(await servesChat(tx, workspaceId)))
      throw new StepFailure('No chat serves this workspace. Connect one, then retry.');
    await store(tx, context, run, [request]);
    return wait;
  }
  if (asked?.state === 'failed') throw new StepFailure(asked.error ?? 'It could not be written in chat.');
  if (waiting.until !== null && waiting.until <= now)
    throw new StepFailure(
      'Chat did not write it within a day: the channel is not linked there, or the person is not in it.',
    );
  return wait;
}

/**
 * Lets a request go on that chat has not answered in time, where its step is tried again: chat may still write it, so
 * another one might be written as well.
 */
async function keepAsking(
  tx: ServiceTx,
  { now, workspaceId }: ActionContext,
  run: { id: string; stepId: string },
): Promise<void> {
  await tx
    .updateTable('chat_request')
    .set({ created_at: now, updated_at: now })
    .where('workspace_id', '=', workspaceId)
    .where('run_id', '=', run.id)
    .where('step_id', '=', run.stepId)
    .where('state', '=', 'pending')
    .execute();
}

/** Whether some bridge looks for requests of a workspace: its own one, or one whose key has access to it. */
async function servesChat(tx: ServiceTx, workspaceId: string): Promise<boolean> {
  const bridge = await tx
    .selectFrom('webhook as w')
    .leftJoin('api_key as k', (join) => join.onRef('k.id', '=', 'w.key_id').on('k.revoked_at', 'is', null))
    .select('w.id')
    .where('w.serves_chat', '=', true)
    .where('w.active', '=', true)
    .where((is) =>
      is.or([
        is('w.workspace_id', '=', workspaceId),
        sql<boolean>`${workspaceId} = any(k.further_workspace_ids)`,
      ]),
    )
    .executeTakeFirst();
  return bridge !== undefined;
}

/** Asks chat to write to people directly, and waits for none of it; does nothing where no chat serves the workspace. */
export async function writeToAll(
  tx: ServiceTx,
  context: ActionContext,
  userIds: readonly string[],
  words: string,
): Promise<void> {
  const { run, workspaceId } = context;
  if (!run || userIds.length === 0 || !(await servesChat(tx, workspaceId))) return;
  const requests = userIds.map((userId) => ({
    kind: 'direct-message' as const,
    channelId: null,
    userId,
    content: words,
  }));
  await store(tx, context, run, requests);
}

/** Stores the requests of a step, and tells the bridge. */
async function store(
  tx: ServiceTx,
  context: ActionContext,
  run: { id: string; stepId: string },
  requests: readonly Omit<NewRequest, 'outputs'>[],
): Promise<void> {
  const { tools, now, outbox, workspaceId } = context;
  // Of a step that is tried again, the former request had failed.
  await tx
    .deleteFrom('chat_request')
    .where('workspace_id', '=', workspaceId)
    .where('run_id', '=', run.id)
    .where('step_id', '=', run.stepId)
    .execute();
  await tx
    .insertInto('chat_request')
    .values(
      requests.map(({ kind, channelId, userId, content: words, reactsTo = null }) => ({
        workspace_id: workspaceId,
        id: tools.newId(ID_PREFIXES.chatRequest),
        run_id: run.id,
        step_id: run.stepId,
        kind,
        channel_id: channelId,
        user_id: userId,
        content: words,
        reacts_to: reactsTo,
        state: 'pending' as const,
        created_at: now,
        updated_at: now,
      })),
    )
    .execute();
  // Nothing else tells the bridge of one without a ticket: it looks for them every minute.
  if (context.ticketId === null) return;
  const key = ticketKey(await ticketFor(tx, context, null));
  const data = await ticketDetail(tx, key, now);
  outbox.add({
    type: 'Ticket',
    action: 'chat-requested',
    workspaceId,
    actor: { userId: null, source: 'WORKFLOW' },
    data,
    ticket: { id: data.id, code: data.code, queueId: data.queueId },
    changes: null,
  });
}

export const chatActions: Readonly<Record<string, Action>> = {
  'chat.post': post,
  'chat.direct-message': directMessage,
  'chat.react': react,
};
