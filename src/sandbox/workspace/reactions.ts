import { isEmojiName } from '../../platform/text/emoji.ts';
import { LIMITS } from '../limits.ts';
import type { Database } from '../store/database.ts';
import { postSystemMessage } from './channels.ts';
import type { Reaction, StoredMessage } from './content.ts';
import type { Channel } from './directory.ts';
import { eventMessage, noteOnceDone, permalinkOf, readMessage, updateMessage } from './message-store.ts';
import type { Change, Workspace } from './workspace.ts';

export type ReactionOutcome =
  'done' | 'invalid_name' | 'message_not_found' | 'already_reacted' | 'no_reaction' | 'too_many_emoji';

/** Adds a person's emoji (Slack's or a custom one) to a message or removes it, and sends the event. */
export function setReaction(
  workspace: Workspace,
  channel: Channel,
  reaction: { ts: string; user: string; name: string; present: boolean },
): ReactionOutcome {
  if (!isEmojiName(reaction.name) && !workspace.directory.emoji.has(reaction.name)) return 'invalid_name';
  return workspace.change(channel, (change) => {
    const message = readMessage(change, reaction.ts);
    if (!message || message.ephemeral_for !== null) return 'message_not_found';
    const after = reaction.present
      ? withReaction(message.reactions, reaction.name, reaction.user)
      : withoutReaction(message.reactions, reaction.name, reaction.user);
    if (typeof after === 'string') return after;
    change.db.update('message', { channel_id: channel.id, ts: reaction.ts }, { reactions: after });
    change.emit({
      type: reaction.present ? 'reaction_added' : 'reaction_removed',
      user: reaction.user,
      reaction: reaction.name,
      item: { type: 'message', channel: channel.id, ts: reaction.ts },
      // A message of an app that chose its name has no user, so no `item_user` either.
      ...(message.content.user === undefined ? {} : { item_user: message.content.user }),
      event_ts: change.ts,
    });
    noteOnceDone(workspace, change, message, 'changed');
    return 'done';
  });
}

function withReaction(reactions: Reaction[], name: string, user: string): Reaction[] | ReactionOutcome {
  const known = reactions.find((reaction) => reaction.name === name);
  if (known?.users.includes(user)) return 'already_reacted';
  if (known)
    return reactions.map((reaction) =>
      reaction === known ? { name, users: [...known.users, user] } : reaction,
    );
  if (reactions.length >= LIMITS.emojiPerMessage) return 'too_many_emoji';
  return [...reactions, { name, users: [user] }];
}

function withoutReaction(reactions: Reaction[], name: string, user: string): Reaction[] | ReactionOutcome {
  const known = reactions.find((reaction) => reaction.name === name);
  if (!known?.users.includes(user)) return 'no_reaction';
  return reactions
    .map((reaction) =>
      reaction === known ? { name, users: known.users.filter((id) => id !== user) } : reaction,
    )
    .filter(({ users }) => users.length > 0);
}

export type PinOutcome = 'done' | 'message_not_found' | 'already_pinned' | 'no_pin';

/** Pins a message to its channel or removes the pin: `pin_added` or `pin_removed`, and the line of a new pin. */
export function setPin(
  workspace: Workspace,
  channel: Channel,
  pin: { ts: string; user: string; present: boolean },
): PinOutcome {
  const outcome = workspace.change(channel, (change): PinOutcome => {
    const message = readMessage(change, pin.ts);
    if (!message || message.ephemeral_for !== null) return 'message_not_found';
    const created = Math.floor(change.now.getTime() / 1000);
    if (pin.present) {
      const added = change.db.run(
        'insert into pin (channel_id, ts, user_id, created_at) values (?, ?, ?, ?) on conflict do nothing',
        channel.id,
        pin.ts,
        pin.user,
        created,
      );
      if (added === 0) return 'already_pinned';
    } else if (change.db.run('delete from pin where channel_id = ? and ts = ?', channel.id, pin.ts) === 0)
      return 'no_pin';
    const { pinned_to: _before, ...content } = message.content;
    const after: StoredMessage = {
      ...message,
      content: pin.present ? { ...content, pinned_to: [channel.id] } : content,
    };
    updateMessage(change, after);
    emitPin(workspace, change, after, pin, created);
    noteOnceDone(workspace, change, after, 'changed');
    return 'done';
  });
  if (outcome === 'done' && pin.present)
    postSystemMessage(workspace, channel, pin.user, {
      subtype: 'pinned_item',
      text: `<@${pin.user}> pinned a message to this channel.`,
      item_type: 'C',
      item: { type: 'message', ts: pin.ts },
    });
  return outcome;
}

function emitPin(
  workspace: Workspace,
  change: Change,
  message: StoredMessage,
  pin: { user: string; present: boolean },
  created: number,
): void {
  const count = pinCount(change.db, change.channel.id);
  change.emit({
    type: pin.present ? 'pin_added' : 'pin_removed',
    user: pin.user,
    channel_id: change.channel.id,
    item: pinShape(workspace, message, pin.user, created),
    item_user: message.content.user ?? '',
    pin_count: String(count),
    pinned_info: { channel: change.channel.id, pinned_by: pin.user, pinned_ts: created },
    ...(pin.present ? {} : { has_pins: count > 0 }),
    event_ts: change.ts,
  });
}

/** How many messages are pinned to a channel. */
export function pinCount(db: Database, channelId: string): number {
  const sql = 'select count(*) as count from pin where channel_id = ?';
  return db.query<{ count: number }>(sql).get(channelId)?.count ?? 0;
}

/** A pin as pins.list and the events give it. */
function pinShape(
  workspace: Workspace,
  message: StoredMessage,
  user: string,
  created: number,
): Record<string, unknown> {
  return {
    type: 'message',
    channel: message.channel_id,
    created,
    created_by: user,
    message: { ...eventMessage(message), permalink: permalinkOf(workspace.baseUrl, message) },
  };
}

/** The pins of a channel, newest first. */
export function pinsOf(workspace: Workspace, channel: Channel): Record<string, unknown>[] {
  const rows = workspace.db
    .query<StoredMessage & { user_id: string; created_at: number }>(
      `select message.*, pin.user_id, pin.created_at from pin join message using (channel_id, ts)
     where pin.channel_id = ? order by pin.created_at desc, pin.ts desc`,
    )
    .all(channel.id);
  return rows.map((row) => pinShape(workspace, row, row.user_id, row.created_at));
}
