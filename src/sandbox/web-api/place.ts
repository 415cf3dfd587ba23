import { openConversation } from '../workspace/conversations.ts';
import type { Channel } from '../workspace/directory.ts';
import { type Call, memberChannelFor } from './method.ts';

/** Where a post goes: a channel the app is in, or a person's id for their direct messages with the app. */
export async function placeOf(call: Call, name: string): Promise<Channel> {
  if (!call.workspace.directory.people.has(name)) return memberChannelFor(call, name);
  return (await openConversation(call.workspace, [call.app.botUserId, name])).channel;
}
