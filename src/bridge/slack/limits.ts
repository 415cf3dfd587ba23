/** Slack's limits, each with its source. */
export const LIMITS = {
  /** Time limit of one call before its outcome counts as unknown. */
  callTimeoutMs: 10_000,
  /**
   * Calls of one budget that may come at once. https://docs.slack.dev/apis/web-api/rate-limits: "short bursts" are
   * allowed, without a number; three is cautious.
   */
  burst: 3,
  /** Milliseconds for which a card lets the replies in its channel go first; then it waits in line with them. */
  cardYieldsMs: 15_000,
  /** The same for a status reaction, with replies and cards. */
  reactionYieldsMs: 30_000,
  /** Time limit of one file upload, and of each wait in it. */
  uploadTimeoutMs: 15 * 60_000,
  uploadWaitMs: 60_000,
  /** Files per ticket message that are sent to chat: each is a separate message in the thread. */
  filesOfMessage: 20,
  /**
   * Characters of a post's text: Slack cuts a longer one (https://docs.slack.dev/reference/methods/chat.postMessage).
   */
  postCharacters: 40_000,
  /**
   * Characters of a file's description (`alt_txt_too_large`,
   * https://docs.slack.dev/reference/methods/files.getUploadURLExternal).
   */
  altCharacters: 1_000,
  /** Messages of one page of conversations.replies (https://docs.slack.dev/reference/methods/conversations.replies). */
  repliesPage: 200,
  /** Channels of one page of conversations.list (https://docs.slack.dev/reference/methods/conversations.list). */
  channelsPage: 1_000,
  /**
   * Members of one page of conversations.members and users.list (https://docs.slack.dev/reference/methods/users.list).
   */
  membersPage: 1_000,
  /** Maximum number of pages read of one thread or channel, as a safeguard; more than any thread has. */
  pagesAtMost: 1_000,
  /** Tier 3 read methods, 50 per minute and workspace: reconciliation's share is set below that. */
  readsAtOnce: 5,
} as const;

/**
 * Slack's rate limits; tiers count "per API method per workspace/team per app"
 * (https://docs.slack.dev/apis/web-api/rate-limits). Each method's page names its tier.
 */
export const BUDGETS = [
  // A special tier without a number: like the other two.
  { method: 'chat.postMessage', per: 'channel', perMinute: 60 },
  // "Several hundred messages per minute": three hundred is the minimum.
  { method: 'chat.postMessage', per: 'workspace', perMinute: 300 },
  { method: 'chat.update', per: 'workspace', perMinute: 50 },
  { method: 'chat.delete', per: 'workspace', perMinute: 50 },
  { method: 'chat.postEphemeral', per: 'workspace', perMinute: 100 },
  { method: 'chat.unfurl', per: 'workspace', perMinute: 50 },
  { method: 'conversations.archive', per: 'workspace', perMinute: 20 },
  { method: 'conversations.create', per: 'workspace', perMinute: 20 },
  { method: 'conversations.invite', per: 'workspace', perMinute: 50 },
  { method: 'conversations.open', per: 'workspace', perMinute: 50 },
  { method: 'files.completeUploadExternal', per: 'workspace', perMinute: 100 },
  { method: 'files.delete', per: 'workspace', perMinute: 50 },
  { method: 'reactions.add', per: 'workspace', perMinute: 50 },
  { method: 'reactions.remove', per: 'workspace', perMinute: 20 },
  { method: 'views.publish', per: 'workspace', perMinute: 100 },
] as const satisfies readonly { method: string; per: 'channel' | 'workspace'; perMinute: number }[];

export type WriteMethod = (typeof BUDGETS)[number]['method'];

/** How often a method may be called per channel, or in the whole workspace. */
export interface Budget {
  method: WriteMethod;
  per: 'channel' | 'workspace';
  perMinute: number;
}

/** Returns the budgets with the operator's number of posts per second and channel instead of Slack's one. */
export function budgetsAt(postsPerSecond: number): readonly Budget[] {
  return BUDGETS.map((budget) =>
    budget.method === 'chat.postMessage'
      ? { ...budget, perMinute: budget.perMinute * postsPerSecond }
      : budget,
  );
}
