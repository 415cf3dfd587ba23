import { emojiKey, plainEmoji } from '../../../platform/text/emoji.ts';
import { isForwarded, isSynced } from '../../blocks/emoji.ts';

/** A reaction that is both in chat and on the ticket. */
export interface ForwardedReaction {
  userId: string;
  name: string;
}

/**
 * Returns the emoji that the bot adds to a ticket message in chat, by key and name: those of users who do not have them
 * there (B12). None on messages that chat must not show (B14).
 */
export function wantedReactions(
  message: {
    deleted: boolean;
    private: boolean;
    reactions: readonly { emoji: string; authorId: string | null }[];
  },
  inChat: readonly ForwardedReaction[],
): Map<string, string> {
  const wanted = new Map<string, string>();
  if (message.deleted || message.private) return wanted;
  for (const { emoji, authorId } of message.reactions) {
    if (!isSynced(emoji)) continue;
    const isThere = inChat.some(({ userId, name }) => userId === authorId && plainEmoji(name) === emoji);
    const key = emojiKey(emoji);
    if (!isThere && !wanted.has(key)) wanted.set(key, plainEmoji(emoji));
  }
  return wanted;
}

/** A chat message of a ticket, as Slack lists it now. */
interface ListedEmoji {
  ts: string;
  /** `count` is true if `users` is truncated. */
  reactions: readonly { name: string; users: readonly string[]; count: number }[];
}

/** The bridge's record of one user's reaction. */
export interface StoredReaction {
  ts: string;
  user: string;
  name: string;
  present: boolean;
}

/** The wanted state of the bot's emoji on one message. */
export interface BotReaction {
  ts: string;
  emoji: string;
  wanted: boolean;
  /** Nothing to do: it is under way, or Slack never accepts it. */
  settled: boolean;
}

export interface ReactionDifferences {
  added: { ts: string; user: string; name: string }[];
  removed: { ts: string; user: string; name: string }[];
  /** Emoji that the bot lacks, and those that nobody has. */
  missing: { ts: string; emoji: string }[];
  surplus: { ts: string; emoji: string; name: string }[];
}

/**
 * Compares the reactions that Slack lists with the bridge's records (B50). A user missing in a truncated list may still
 * have the emoji.
 */
export function reactionDifferences(
  listed: readonly ListedEmoji[],
  heard: readonly StoredReaction[],
  bot: { userId: string; reactions: readonly BotReaction[] },
): ReactionDifferences {
  const found: ReactionDifferences = { added: [], removed: [], missing: [], surplus: [] };
  for (const { ts, reactions } of listed) {
    const known = heard.filter((one) => one.ts === ts);
    const synced = reactions.filter(({ name }) => isSynced(name));
    const forwarded = reactions.filter(({ name }) => isForwarded(name));
    for (const { name, users } of forwarded)
      for (const user of users)
        if (
          user !== bot.userId &&
          !known.some((one) => one.present && one.user === user && one.name === name)
        )
          found.added.push({ ts, user, name });
    for (const { user, name, present } of known) {
      const shown = forwarded.find((one) => one.name === name);
      const isComplete = shown === undefined || shown.users.length >= shown.count;
      if (present && isComplete && !shown?.users.includes(user)) found.removed.push({ ts, user, name });
    }
    const wanted = bot.reactions.filter((one) => one.ts === ts);
    const ours = synced.filter(({ users }) => users.includes(bot.userId));
    for (const { emoji, wanted: isWanted, settled } of wanted) {
      const shown = synced.filter(({ name }) => emojiKey(name) === emoji);
      const isCut = shown.some(({ users, count }) => users.length < count);
      const isShown = ours.some(({ name }) => emojiKey(name) === emoji);
      if (isWanted && !settled && !isShown && !isCut) found.missing.push({ ts, emoji });
    }
    for (const { name } of ours) {
      const one = wanted.find(({ emoji }) => emoji === emojiKey(name));
      if (!one?.wanted && !one?.settled) found.surplus.push({ ts, emoji: emojiKey(name), name });
    }
  }
  return found;
}

/** Returns what both comparisons found: what only one of them saw was under way. */
export function inBoth(a: ReactionDifferences, b: ReactionDifferences): ReactionDifferences {
  const both = <Item>(some: readonly Item[], others: readonly Item[]) => {
    const known = new Set(others.map((one) => JSON.stringify(one)));
    return some.filter((one) => known.has(JSON.stringify(one)));
  };
  return {
    added: both(a.added, b.added),
    removed: both(a.removed, b.removed),
    missing: both(a.missing, b.missing),
    surplus: both(a.surplus, b.surplus),
  };
}
