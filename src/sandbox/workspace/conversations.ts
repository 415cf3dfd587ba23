import type { StoredMessage } from './content.ts';
import { imCreated, memberJoined } from './channel-events.ts';
import { mentionEvent } from './message-events.ts';
import { postMessage } from './messages.ts';
import { type Channel, type Person, teamOf } from './directory.ts';
import { newChannel } from './new-channel.ts';
import { eventTs } from './people.ts';
import type { Workspace } from './workspace.ts';

/**
 * Makes someone a member: the row, `member_joined_channel`, and the line in the channel (`channel_join`).
 * False where they are one already.
 */
export function addMember(workspace: Workspace, channel: Channel, person: Person, inviter?: string): boolean {
  const joined = workspace.change(channel, (change) => {
    if (channel.members.has(person.id)) return false;
    change.db.insert('member', { channel_id: channel.id, user_id: person.id });
    change.emit(
      memberJoined(channel, {
        user: person.id,
        team: teamOf(workspace.directory, person.id),
        eventTs: change.ts,
        inviter,
      }),
    );
    change.afterwards(() => workspace.journal.record('channel', { channel: channel.id, change: 'members' }));
    return true;
  });
  if (joined)
    postMessage(workspace, channel, {
      author: person.id,
      autoBlocks: true,
      content: {
        type: 'message',
        subtype: 'channel_join',
        user: person.id,
        team: teamOf(workspace.directory, person.id),
        text: `<@${person.id}> has joined the channel`,
        ...(inviter === undefined ? {} : { inviter }),
      },
    });
  return joined;
}

/**
 * Invites whom a message mentions and who is not in its channel, as Slackbot offers to whoever wrote it. An app that
 * is invited so hears `app_mention` of that message, though not `message`.
 */
export function inviteMentioned(workspace: Workspace, channel: Channel, message: StoredMessage): void {
  const { directory } = workspace;
  const mentioned = [...message.content.text.matchAll(/<@([UW][A-Z0-9]+)(?:\|[^>]*)?>/g)];
  for (const id of new Set(mentioned.map(([, userId = '']) => userId))) {
    const person = directory.people.get(id);
    if (!person || !addMember(workspace, channel, person, message.author)) continue;
    const app = directory.appOfBotUser(id);
    if (app)
      workspace.change(channel, (change) =>
        change.emit(mentionEvent(workspace, message, channel, message.ts), [app]),
      );
  }
}

/** The direct conversation of these people (one with two is an `im`); made where there is none yet. */
export function openConversation(
  workspace: Workspace,
  userIds: readonly string[],
): { channel: Channel; existed: boolean } {
  const members = [...new Set(userIds)].sort();
  const known = workspace.directory.conversationOf(members);
  if (known) return { channel: known, existed: true };
  return { channel: makeConversation(workspace, members), existed: false };
}

function makeConversation(workspace: Workspace, members: string[]): Channel {
  const kind = members.length <= 2 ? 'im' : 'mpim';
  const names = members.map((id) => workspace.directory.people.get(id)?.name ?? id);
  const channel = newChannel(workspace, {
    kind,
    name: kind === 'im' ? '' : `mpdm-${names.join('--')}-1`,
    creator: members[0] ?? '',
    members,
  });
  if (kind === 'im')
    for (const app of workspace.directory.appsIn(channel)) workspace.tell(imCreated(channel, app), [app]);
  else
    workspace.tell(
      { type: 'mpim_open', channel: channel.id, event_ts: eventTs(workspace) },
      workspace.directory.appsIn(channel),
    );
  return channel;
}
