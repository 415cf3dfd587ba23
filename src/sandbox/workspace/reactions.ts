import { isEmojiName } from '../../platform/text/emoji.ts';
import { LIMITS } from '../limits.ts';
import type { Reaction } from './content.ts';
import type { Channel } from './directory.ts';
import { noteOnceDone } from './message-events.ts';
import { read } from './rows.ts';
import type { Workspace } from './workspace.ts';

export type ReactionOutcome =
  'done' | 'invalid_name' | 'message_not_found' | 'already_reacted' | 'no_reaction' | 'too_many_emoji';

/** Puts one person's emoji (of Slack's, or the workspace's own) on a message or takes it away, and tells the apps. */
export function setReaction(
  workspace: Workspace,
  channel: Channel,
  reaction: { ts: string; user: string; name: string; present: boolean },
): ReactionOutcome {
  if (!isEmojiName(reaction.name) && !workspace.directory.emoji.has(reaction.name)) return 'invalid_name';
  return workspace.change(channel, (change) => {
    const message = read(change, reaction.ts);
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
