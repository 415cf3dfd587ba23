import { z } from 'zod';

import { LIMITS } from '../../limits.ts';
import type { Channel } from '../../workspace/directory.ts';
import type { StoredMessage } from '../../workspace/content.ts';
import { editMessage } from '../../workspace/messages.ts';
import { isAssistantRoot } from '../../workspace/assistant-threads.ts';
import { findMessage } from '../../workspace/read.ts';
import { json, required, text } from '../arguments.ts';
import { type Call, channelFor, method, SlackError } from '../method.ts';

const prompts = json(
  z
    .array(z.object({ title: z.string().min(1), message: z.string().min(1) }))
    .min(1, 'no prompts')
    .max(LIMITS.assistantPrompts, `no more than ${LIMITS.assistantPrompts} prompts`),
);

/** docs.slack.dev/reference/methods/assistant.threads.{setSuggestedPrompts, setStatus, setTitle} */
export const ASSISTANT = [
  method(
    'assistant.threads.setSuggestedPrompts',
    z.object({ channel_id: required, thread_ts: text.optional(), title: text.optional(), prompts }),
    async (call, args) => {
      const channel = channelFor(call, args.channel_id);
      const offer = { title: args.title || undefined, prompts: args.prompts };
      const { panes } = call.workspace;
      if (!args.thread_ts) panes.offer(channel.id, { ...offer, thread: undefined });
      // Only threads of the older experience take prompts of their own: anywhere else nothing happens, and nothing is said.
      else if (isAssistantRoot(rootOf(call, channel, args.thread_ts)))
        panes.offer(channel.id, { ...offer, thread: args.thread_ts });
      return {};
    },
  ),

  method(
    'assistant.threads.setStatus',
    z.object({ channel_id: required, thread_ts: required, status: text.default('') }),
    async (call, args) => {
      const channel = channelFor(call, args.channel_id);
      const { ts } = rootOf(call, channel, args.thread_ts);
      call.workspace.panes.setStatus(channel.id, ts, args.status);
      return {};
    },
  ),

  method(
    'assistant.threads.setTitle',
    z.object({ channel_id: required, thread_ts: required, title: required }),
    async (call, { channel_id, thread_ts, title }) => {
      const { workspace, app } = call;
      const channel = channelFor(call, channel_id);
      const root = rootOf(call, channel, thread_ts);
      workspace.panes.setTitle(channel.id, root.ts, title);
      if (isAssistantRoot(root))
        editMessage(workspace, channel, root.ts, ({ content }) => ({
          text: title,
          blocks: content.blocks,
          autoBlocks: true,
          editor: app.botUserId,
        }));
      return {};
    },
  ),
];

function rootOf({ workspace }: Call, channel: Channel, thread: string): StoredMessage {
  const root = findMessage(workspace.db, channel.id, thread);
  if (!root || root.thread_ts !== null)
    throw new SlackError('invalid_thread_ts', { detail: 'Thread not found' });
  return root;
}
