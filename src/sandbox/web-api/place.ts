import { openConversation } from '../workspace/conversations.ts';
import type { Channel } from '../workspace/directory.ts';
import { isStranger } from '../workspace/people-object.ts';
import { type Call, memberChannelFor, SlackError } from './method.ts';

/** Where a post goes: a channel the app is in, or a person's id for their direct messages with the app. */
export function placeOf(call: Call, name: string): Channel {
  if (!call.workspace.directory.people.has(name)) return memberChannelFor(call, name);
  return openWith(call, [name], true).channel;
}

/**
 * The direct conversation of the app with these people, or Slack's refusal of it
 * (docs.slack.dev/reference/methods/conversations.open, "Errors").
 */
export function openWith(
  { workspace, app }: Call,
  users: readonly string[],
  mayCreate: boolean,
): { channel: Channel; existed: boolean } {
  const { directory } = workspace;
  for (const id of users) {
    const person = directory.people.get(id);
    if (!person) throw new SlackError('user_not_found');
    if (person.isBot) throw new SlackError('cannot_dm_bot');
    if (person.deleted) throw new SlackError('user_disabled');
    if (isStranger(directory, app, person)) throw new SlackError('invalid_user_combination');
  }
  const members = [app.botUserId, ...users];
  if (!mayCreate && !directory.conversationOf([...new Set(members)]))
    throw new SlackError('channel_not_found');
  return openConversation(workspace, members);
}
