/** Chat's limits that the bridge keeps, each with its source. */
export const LIMITS = {
  /** Milliseconds that one call may take before its outcome counts as unknown. */
  callTimeoutMs: 10_000,
  /**
   * Posts that a channel takes at once before the pace of one a second holds.
   * https://docs.slack.dev/apis/web-api/rate-limits: "short bursts" are allowed, their size is not said; three is cautious.
   */
  burst: 3,
  /** chat.update, chat.delete: Tier 3, 50 a minute (https://docs.slack.dev/reference/methods/chat.update). */
  editsPerMinute: 50,
  /**
   * A workspace's reactions: reactions.add is Tier 3, reactions.remove Tier 2, 20 a minute; the slower holds for both
   * (https://docs.slack.dev/reference/methods/reactions.remove).
   */
  reactionsPerMinute: 20,
  /** Messages of one page of conversations.replies (https://docs.slack.dev/reference/methods/conversations.replies). */
  repliesPage: 200,
  /** Members of one page of conversations.members (https://docs.slack.dev/reference/methods/conversations.members). */
  membersPage: 1_000,
  /** Pages read at most of one thread or channel, against a chat that never ends; more than any thread has. */
  pagesAtMost: 1_000,
  /** Tier 3 methods that read, 50 a minute and workspace: what reconciliation may take of it is set below that. */
  readsAtOnce: 5,
} as const;
