import {
  channelArchived,
  channelCreated,
  channelDeleted,
  channelLeft,
  channelRenamed,
  channelShared,
  channelUnarchived,
  channelUnshared,
  imCreated,
  memberJoined,
  memberLeft,
} from './channel-events.ts';
import type { MessageContent, StoredMessage } from './content.ts';
import { type App, type Channel, type Person, teamOf } from './directory.ts';
import { mentionEvent } from './message-store.ts';
import { postMessage } from './messages.ts';
import { eventTs } from './people.ts';
import type { Change, Workspace } from './workspace.ts';

/** The apps that get a channel's events: every app for a public one, else the apps in it. */
function appsInChannel({ directory }: Workspace, channel: Channel): App[] {
  return channel.kind === 'channel' ? directory.apps.values() : directory.appsIn(channel);
}

/** Creates a channel with its creator in it; every app gets `channel_created` of a public one. */
export function createChannel(
  workspace: Workspace,
  wanted: { name: string; isPrivate: boolean; creator: Person },
): Channel {
  const { directory } = workspace;
  const channel = newChannel(workspace, {
    kind: wanted.isPrivate ? 'group' : 'channel',
    name: wanted.name,
    creator: wanted.creator.id,
    members: [],
  });
  if (channel.kind === 'channel')
    workspace.change(channel, (change) =>
      change.emit(channelCreated(channel, directory.team.id, change.ts), appsInChannel(workspace, channel)),
    );
  addMember(workspace, channel, wanted.creator);
  return channel;
}

/**
 * Takes someone out of a channel: `member_left_channel` for the apps that stay, `channel_left` for the app that goes,
 * and the line in the channel (`channel_leave`). Returns false if they were not in it.
 */
export function removeMember(workspace: Workspace, channel: Channel, person: Person, actor: string): boolean {
  const left = workspace.change(channel, (change) => {
    const sql = 'delete from member where channel_id = ? and user_id = ?';
    if (change.db.run(sql, channel.id, person.id) === 0) return false;
    const app = workspace.directory.appOfBotUser(person.id);
    if (app) change.emit(channelLeft(channel, actor, change.ts), [app]);
    change.emit(
      memberLeft(channel, {
        user: person.id,
        team: teamOf(workspace.directory, person.id),
        eventTs: change.ts,
      }),
    );
    noteMembers(workspace, change);
    return true;
  });
  if (left)
    postSystemMessage(workspace, channel, person.id, {
      subtype: 'channel_leave',
      text: `<@${person.id}> has left the channel`,
    });
  return left;
}

/** Archives a channel or opens it again: the event, and the line in the channel. */
export function setArchived(workspace: Workspace, channel: Channel, archived: boolean, actor: string): void {
  workspace.change(channel, (change) => {
    change.db.update('channel', { id: channel.id }, { is_archived: archived });
    const event = archived
      ? channelArchived(channel, actor, change.ts)
      : channelUnarchived(channel, actor, change.ts);
    change.emit(event, appsInChannel(workspace, channel));
    change.afterwards(() => (channel.isArchived = archived));
    noteMembers(workspace, change);
  });
  postSystemMessage(workspace, channel, actor, {
    subtype: archived ? 'channel_archive' : 'channel_unarchive',
    text: `<@${actor}> ${archived ? 'archived' : 'un-archived'} the channel`,
  });
}

/** Gives a channel another name: `channel_rename`, and the line in the channel (`channel_name`). */
export function renameChannel(workspace: Workspace, channel: Channel, name: string, actor: string): void {
  const old = channel.name;
  if (old === name) return;
  const previous = [...channel.previousNames.filter((known) => known !== old), old];
  workspace.change(channel, (change) => {
    change.db.update('channel', { id: channel.id }, { name, previous_names: previous });
    change.emit(channelRenamed(channel, name, change.ts), appsInChannel(workspace, channel));
    change.afterwards(() => {
      channel.name = name;
      channel.previousNames = previous;
    });
    noteMembers(workspace, change);
  });
  postSystemMessage(workspace, channel, actor, {
    subtype: 'channel_name',
    old_name: old,
    name,
    text: `<@${actor}> has renamed the channel from "${old}" to "${name}"`,
  });
}

/** Sets a channel's topic or purpose: only the line in the channel announces it, no other event. */
export function setNote(
  workspace: Workspace,
  channel: Channel,
  which: 'topic' | 'purpose',
  value: string,
  actor: string,
): void {
  if (channel[which].value === value) return;
  workspace.change(channel, (change) => {
    const at = Math.floor(change.now.getTime() / 1000);
    change.db.update(
      'channel',
      { id: channel.id },
      which === 'topic'
        ? { topic: value, topic_by: actor, topic_at: at }
        : { purpose: value, purpose_by: actor, purpose_at: at },
    );
    change.afterwards(() => (channel[which] = { value, by: actor, at }));
    noteMembers(workspace, change);
  });
  postSystemMessage(workspace, channel, actor, {
    subtype: `channel_${which}`,
    [which]: value,
    text:
      value === ''
        ? `<@${actor}> cleared the channel ${which}`
        : `<@${actor}> set the channel ${which}: ${value}`,
  });
}

/** Deletes a channel with everything in it: `channel_deleted`, or `group_deleted` for the apps that were in it. */
export function deleteChannel(workspace: Workspace, channel: Channel, actor: string): void {
  const to = appsInChannel(workspace, channel);
  const now = workspace.clock.now();
  workspace.db.run('delete from channel where id = ?', channel.id);
  workspace.tell(channelDeleted(channel, actor, now), to);
  workspace.journal.record('channel', { channel: channel.id, change: 'members' });
}

/** Shares a channel with another organisation's workspace (`channel_shared`), or no longer (`channel_unshared`). */
export function setShared(
  workspace: Workspace,
  channel: Channel,
  { team, shared, hostedByThem }: { team: string; shared: boolean; hostedByThem: boolean },
): void {
  const others = channel.connectedTeams.filter((one) => one !== team);
  const connectedTeams = shared ? [...others, team] : others;
  const known = channel.hostTeamId === team ? undefined : channel.hostTeamId;
  const hostTeamId = shared && hostedByThem ? team : known;
  const wasShared = others.length < channel.connectedTeams.length;
  workspace.change(channel, (change) => {
    change.db.update(
      'channel',
      { id: channel.id },
      { connected_teams: connectedTeams, host_team_id: hostTeamId ?? null },
    );
    if (shared && !wasShared)
      change.emit(channelShared(channel, team, change.ts), appsInChannel(workspace, channel));
    if (!shared && wasShared)
      change.emit(
        channelUnshared(channel, team, others.length > 0, change.ts),
        appsInChannel(workspace, channel),
      );
    change.afterwards(() => Object.assign(channel, { connectedTeams, hostTeamId }));
    noteMembers(workspace, change);
  });
}

/** Gives a channel to further workspaces of the organisation, by their ids; none takes it away from them. */
export function setSharedWith(workspace: Workspace, channel: Channel, teams: readonly string[]): void {
  workspace.change(channel, (change) => {
    change.db.update('channel', { id: channel.id }, { shared_with: [...teams] });
    change.afterwards(() => (channel.sharedWith = teams));
    noteMembers(workspace, change);
  });
}

/** A line that Slack writes in a channel about what `actor` did there. */
export function postSystemMessage(
  workspace: Workspace,
  channel: Channel,
  actor: string,
  content: Omit<MessageContent, 'type' | 'user'>,
): void {
  postMessage(workspace, channel, {
    author: actor,
    autoBlocks: true,
    content: { type: 'message', user: actor, team: teamOf(workspace.directory, actor), ...content },
  });
}

function noteMembers({ journal }: Workspace, change: Change): void {
  change.afterwards(() => journal.record('channel', { channel: change.channel.id, change: 'members' }));
}

/** docs.slack.dev/reference/methods/conversations.create, "Naming". */
const LONGEST = 80;

/** Why a channel name is invalid: the error of conversations.create and conversations.rename. */
export function channelNameError(name: string): string | undefined {
  if (name === '') return 'invalid_name_required';
  if (name.length > LONGEST) return 'invalid_name_maxlength';
  if (!/^[\p{Ll}\p{Lo}\p{M}\p{N}_-]+$/u.test(name)) return 'invalid_name_specials';
  if (/^[-_]+$/.test(name)) return 'invalid_name_punctuation';
  return undefined;
}

/** Creates a channel or a direct conversation with its first members, without events. */
export function newChannel(
  workspace: Workspace,
  { kind, name, creator, members }: Pick<Channel, 'kind' | 'name' | 'creator'> & { members: string[] },
): Channel {
  const { db, directory, ids, clock, journal } = workspace;
  const id = ids.slackId(kind === 'im' ? 'D' : 'C');
  db.transaction(() => {
    db.insert('channel', {
      id,
      team_id: directory.team.id,
      name,
      kind,
      creator,
      created_at: Math.floor(clock.now().getTime() / 1000),
    });
    for (const user_id of members) db.insert('member', { channel_id: id, user_id });
  });
  journal.record('channel', { channel: id, change: 'created' });
  const channel = directory.channels.get(id);
  if (!channel) throw new Error('a channel was not stored');
  return channel;
}

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
 * Invites whom a message mentions and who is not in its channel, as Slackbot offers to its author. An app that
 * is invited so hears `app_mention` of that message, though not `message`.
 */
export function inviteMentioned(workspace: Workspace, channel: Channel, message: StoredMessage): void {
  const { directory } = workspace;
  const mentioned = [...message.content.text.matchAll(/<@([UW][A-Z0-9]+)(?:\|[^<>]*)?>/g)];
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
