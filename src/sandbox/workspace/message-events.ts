import type { StoredMessage } from './content.ts';
import { type App, type Channel, fullName, type Person } from './directory.ts';
import { channelType, type EventBody } from './events.ts';
import { pushedContent } from './files-object.ts';
import { avatarHash } from './people-object.ts';
import { eventMessage } from './render.ts';
import type { Change, Workspace } from './workspace.ts';

/** `message_changed`, with what the message was before. */
export function emitChanged(change: Change, before: StoredMessage, after: StoredMessage): void {
  if (after.ephemeral_for !== null) return;
  const team = after.content.team;
  change.emit({
    type: 'message',
    subtype: 'message_changed',
    message: {
      ...eventMessage(after, change.channel),
      ...(team === undefined ? {} : { source_team: team, user_team: team }),
    },
    previous_message: eventMessage(before, change.channel),
    channel: change.channel.id,
    hidden: true,
    ts: change.ts,
    event_ts: change.ts,
    channel_type: channelType(change.channel),
  });
}

/**
 * `app_mention` beside `message`, with an event id of its own: for each app mentioned in a channel, not in direct
 * messages (docs.slack.dev/reference/events/app_mention), not for what the app itself says.
 */
export function emitMention(workspace: Workspace, change: Change, message: StoredMessage): void {
  const { channel } = change;
  if (channel.kind === 'im' || message.ephemeral_for !== null) return;
  for (const app of workspace.directory.appsIn(channel)) {
    if (!mentions(message, app) || message.author === app.botUserId) continue;
    change.emit(mentionEvent(workspace, message, channel, message.content.edited ? change.ts : message.ts));
  }
}

/**
 * `app_mention` of a message (docs.slack.dev/reference/events/app_mention). One by somebody of another organisation is
 * of the app's workspace, and says beside that whose they are.
 */
export function mentionEvent(
  { directory }: Workspace,
  message: StoredMessage,
  channel: Channel,
  eventTs: string,
): EventBody {
  const { subtype: _subtype, ...content } = pushedContent(message.content, channel);
  const author = directory.people.get(message.author);
  return {
    ...content,
    ...(author?.teamId === undefined ? {} : foreignAuthor(directory.team.id, author.teamId, author)),
    type: 'app_mention',
    ts: message.ts,
    ...(message.thread_ts === null ? {} : { thread_ts: message.thread_ts }),
    channel: channel.id,
    event_ts: eventTs,
  };
}

function foreignAuthor(ownTeam: string, team: string, author: Person) {
  const real_name = fullName(author);
  return {
    team: ownTeam,
    user_team: team,
    source_team: team,
    user_profile: {
      name: author.name,
      first_name: author.firstName,
      real_name,
      display_name: author.displayName ?? author.name,
      team,
      is_restricted: false,
      is_ultra_restricted: false,
      avatar_hash: avatarHash(author),
    },
  };
}

function mentions(message: StoredMessage, app: App): boolean {
  return new RegExp(`<@${app.botUserId}(\\|[^>]*)?>`).test(message.content.text);
}

/** Tells the journal, once the change is through: the page and waiting tests look then. */
export function noteOnceDone(
  workspace: Workspace,
  change: Change,
  message: StoredMessage,
  what: 'posted' | 'changed' | 'deleted',
): void {
  change.afterwards(() =>
    workspace.journal.record('message', {
      channel: message.channel_id,
      ts: message.ts,
      change: what,
      ...(message.thread_ts === null ? {} : { thread_ts: message.thread_ts }),
      ...(message.ephemeral_for === null ? {} : { ephemeral_for: message.ephemeral_for }),
    }),
  );
}
