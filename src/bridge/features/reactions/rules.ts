import { emojiKey, plainEmoji } from '../../../platform/text/emoji.ts';
import { isForwarded, isSynced } from '../../blocks/emoji.ts';

/** Who holds an emoji on a ticket message in chat and on the ticket alike. */
export interface CarriedReaction {
  /** The service's user. */
  userId: string;
  /** As chat names it. */
  name: string;
}

/**
 * The emoji that the bot puts on a ticket message in chat, by their keys and with the name to give them by: those that
 * somebody holds who does not hold them there (B12). None on what chat must not show (B14).
 */
export function wantedReactions(
  message: {
    deleted: boolean;
    private: boolean;
    reactions: readonly { emoji: string; authorId: string | null }[];
  },
  inChat: readonly CarriedReaction[],
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

/** A chat message of a ticket, as chat lists it now. */
export interface ListedEmoji {
  ts: string;
  /** `count` is true where `users` is cut short. */
  reactions: readonly { name: string; users: readonly string[]; count: number }[];
}

/** What the bridge knows of one person's emoji. */
export interface HeardReaction {
  ts: string;
  user: string;
  name: string;
  present: boolean;
}

/** What the bot's emoji on one message ought to be. */
export interface BotReaction {
  ts: string;
  emoji: string;
  wanted: boolean;
  /** Nothing is to be done about it: it is on its way, or chat never takes it. */
  settled: boolean;
}

export interface ReactionDifferences {
  added: { ts: string; user: string; name: string }[];
  removed: { ts: string; user: string; name: string }[];
  /** Emoji that the bot lacks, and those that it shows for nobody. */
  missing: { ts: string; emoji: string }[];
  surplus: { ts: string; emoji: string; name: string }[];
}

/**
 * Compares the emoji that chat lists with those that the bridge knows of (B50). Who is missing in a list that chat cut
 * short may hold the emoji all the same.
 */
export function reactionDifferences(
  listed: readonly ListedEmoji[],
  heard: readonly HeardReaction[],
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

/** What both comparisons found: what only one of them saw was on its way. */
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
