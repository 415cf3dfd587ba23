/** Every limit of the API, with its source. Lengths are UTF-16 units, sizes bytes. */
export const LIMITS = {
  /** Specification, Limits. */
  list: { defaultLimit: 100, maxLimit: 10_000, minSkip: 1, minOffset: 0 },
  /** docs/api.md, Conventions: bytes of the items of a list's answer; a page ends before it would have more. */
  listBytes: 4 * 1024 * 1024,
  /** Specification, Limits; the default is in docs/api.md, Search. */
  semanticSearch: { defaultLimit: 5, maxLimit: 20 },
  /**
   * Ours: limits of an analytics query; `filterText` is for the ids of `in`, `cells` for rows × series × aggregations
   * of its answer.
   */
  analytics: {
    aggregations: 10,
    groups: 2,
    filterGroups: 20,
    filters: 20,
    filterText: 10_000,
    alias: 100,
    cells: 100_000,
  },
  /** Ours: breaches, and tickets that waited, of one report. */
  targetReport: { defaultRows: 1_000, maxRows: 10_000 },
  /** docs/api.md, Ticket messages. */
  messageContent: 100_000,
  /** As for a message: a ticket opened from chat contains the whole first message. */
  ticketDescription: 100_000,
  ticketTitle: 500,
  /** Ours: unsent replies for the team on one ticket. */
  replyDrafts: 20,
  /** Ours: names, labels, e-mail addresses, references. */
  shortText: 500,
  /** Ours: URLs of pictures and webhooks. */
  url: 2_000,
  /** Ours: entries of one array in a request (approvers, tags, chat users, request types of a status). */
  arrayItems: 200,
  /** Ours: characters of a child's description in its parent's record; the rest is in its own. */
  childDescription: 500,
  /** Ours: what refers to one record, and is in it as a whole. */
  ofTicket: {
    children: 1_000,
    ratings: 100,
    chatThreads: 500,
    tags: 500,
    followers: 500,
    scheduledReplies: 50,
  },
  /** Ours: how long a reply that may be undone is delayed. */
  delaySeconds: 3_600,
  /** Ours: tickets that match a workflow's triggers by time already, and may be included when it is activated. */
  matchingTickets: 1_000,
  ofMessage: { reactions: 1_000, chatCopies: 1_000 },
  ofUser: { chatAccounts: 200 },
  ofQueue: { channels: 1_000 },
  /** Ours: custom fields of one ticket with those of its earlier writes, and their bytes as JSON. */
  customFields: { keys: 1_000, bytes: 256 * 1024 },
  /** Ours: children changed by one write with `includeChild`. */
  childrenAtOnce: 200,
  /** Ours: messages that come with their ticket (`messagesFrom`), and their bytes. */
  messagesWithTicket: 100,
  messagesWithTicketBytes: 1024 * 1024,
  /** Ours: queries of `POST /tickets/counts`, the words that they search for together, and where each count ends. */
  ticketCounts: { filters: 30, words: 120, count: 1_000 },
  /** Ours: ids in `set`. */
  setIds: 1_000,
  /** Ours: a custom-field object or a workspace's emoji actions. */
  objectKeys: 200,
  /** Ours: spans of a week, and holidays, of one record of business hours. */
  businessHours: { spans: 70, holidays: 500 },
  /** docs/api.md, Conventions: body limit. */
  body: 1024 * 1024,
  iconBody: 5 * 1024 * 1024,
  /** Ours: files. The defaults of settings are in the service; a name is in bytes of UTF-8. */
  files: { name: 255, ofMessage: 20, ofRequest: 10, ofTicket: 200, ticketBytes: 1024 ** 3 },
  /** docs/api.md, Conventions: minimum length of a given token; the maximum is ours. */
  token: { min: 16, max: 500 },
  /** docs/api.md, Conventions: request id. */
  requestId: 64,
  /**
   * Signing secrets: the minimum that is safe, and the maximum that fits a header or a form; `bytes` is the minimum of
   * what follows `whsec_`.
   */
  webhookSecret: { min: 8, max: 500, bytes: 16 },
  /** Ours: webhooks that one key or person has, besides those that serve chat. */
  webhooksOfOne: 20,
} as const;
