import { z } from 'zod';

import { LIMITS } from '../limits.ts';
import type { Database } from '../store/database.ts';
import type { Tables } from '../store/tables.ts';
import { flag, SlackError, text } from '../web-api/method.ts';
import { appSays, type MessageArguments, messageArguments } from '../web-api/message-arguments.ts';
import { deleteMessage, editMessage, postMessage } from '../workspace/messages.ts';
import type { Channel } from '../workspace/directory.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Workspaces } from '../workspace/workspaces.ts';
import { blocksOf, withFound, writtenByApp } from '../workspace/write.ts';

/** The body for a response URL or of an acknowledgement. */
export const responseBody = z.object({
  ...messageArguments,
  response_type: z.enum(['ephemeral', 'in_channel']).optional(),
  replace_original: flag.optional(),
  delete_original: flag.optional(),
  thread_ts: text.optional(),
});
export type ResponseBody = z.output<typeof responseBody>;

/** The origin of a response URL: the user, the channel, and the message of the action. */
export interface Asked {
  channelId: string;
  userId: string;
  sourceTs?: string | undefined;
  threadTs?: string | undefined;
}

/**
 * A new response address: five answers within thirty minutes (docs.slack.dev/interactivity/handling-user-interaction).
 */
export function makeResponseUrl(
  workspace: Workspace,
  baseUrl: string,
  asked: Asked,
): { url: string; token: string } {
  const token = workspace.ids.secret();
  workspace.db.insert('response_url', {
    token,
    channel_id: asked.channelId,
    user_id: asked.userId,
    expires_at: new Date(workspace.clock.now().getTime() + LIMITS.responseUrlMs),
    source_ts: asked.sourceTs,
    thread_ts: asked.threadTs,
  });
  return { url: `${baseUrl}/response/${token}`, token };
}

/** The workspace a response address is of; the default one where there is no such address. */
export function respondingIn(workspaces: Workspaces, token: string): Workspace {
  const known = responseUrl(workspaces.default.db, token);
  return (known && workspaces.ofChannel(known.channel_id)) ?? workspaces.default;
}

/** Whether a token was given out. */
export function isResponseUrl(workspaces: Workspaces, token: string): boolean {
  return responseUrl(workspaces.default.db, token) !== undefined;
}

/** Uses a response URL once. Errors are `expired_url` and `used_url`. */
export function spendResponseUrl(workspace: Workspace, token: string, raw: unknown): void {
  const parsed = responseBody.safeParse(raw);
  if (!parsed.success) throw new SlackError('invalid_payload');
  const { db, clock } = workspace;
  const known = responseUrl(db, token);
  if (!known || known.expires_at <= clock.now()) throw new SlackError('expired_url');
  if (known.uses >= LIMITS.responseUrlUses) throw new SlackError('used_url');
  db.update('response_url', { token }, { uses: known.uses + 1 });
  answerInteraction(
    workspace,
    {
      channelId: known.channel_id,
      userId: known.user_id,
      sourceTs: known.source_ts ?? undefined,
      threadTs: known.thread_ts ?? undefined,
    },
    parsed.data,
  );
}

function responseUrl(db: Database, token: string): Tables['response_url'] | undefined {
  return db.query<Tables['response_url']>('select * from response_url where token = ?').get(token);
}

/** Deletes or replaces the original message, or posts a new one (ephemeral by default). */
export function answerInteraction(workspace: Workspace, asked: Asked, body: ResponseBody): void {
  const channel = workspace.directory.channels.get(asked.channelId);
  const [app] = workspace.directory.apps.values();
  if (!channel || !app) throw new SlackError('channel_not_found');
  if (body.delete_original === true) {
    if (asked.sourceTs !== undefined) deleteMessage(workspace, channel, asked.sourceTs);
    return;
  }
  if (body.replace_original === true && asked.sourceTs !== undefined) {
    replace(workspace, channel, asked.sourceTs, body);
    return;
  }
  const written = writtenByApp(workspace, app, appSays(body));
  const inChannel = body.response_type === 'in_channel';
  postMessage(workspace, channel, {
    ...written,
    author: app.botUserId,
    // An ephemeral answer to something in a thread shows there; a visible one only where it says so.
    threadTs: body.thread_ts ?? (inChannel ? undefined : asked.threadTs),
    ...(inChannel ? {} : { ephemeralFor: asked.userId }),
  });
}

function replace(workspace: Workspace, channel: Channel, ts: string, body: MessageArguments): void {
  const says = withFound(workspace.directory, appSays(body));
  const made = blocksOf(workspace.directory, workspace.ids, says);
  editMessage(workspace, channel, ts, (before) => ({
    text: says.text,
    blocks: made.part.blocks,
    autoBlocks: made.autoBlocks,
    attachments: says.attachments,
    metadata: says.metadata ?? before.content.metadata,
  }));
}
