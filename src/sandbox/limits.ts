/**
 * Slack's limits, each with its source. Times are milliseconds unless the name says otherwise. `slack-facts.md` next to
 * this file says what is documented and what is assumed.
 */
export const LIMITS = {
  /** docs.slack.dev/apis/events-api: an event or interaction must be answered within three seconds. */
  ackMs: 3_000,
  /** docs.slack.dev/apis/events-api: three retries: at once, after one minute, after five minutes. */
  retryDelaysMs: [0, 60_000, 300_000],
  /** docs.slack.dev/reference/events/app_rate_limited: events of one workspace to one app. */
  eventsPerHour: 30_000,
  /** docs.slack.dev/apis/events-api, "Error handling": more than two redirects are an error. */
  redirects: 2,
  /** Bytes of an acknowledgement's body that are read; assumed. */
  answerBytes: 1024 * 1024,
  /** docs.slack.dev/apis/events-api/using-socket-mode: at most ten open connections per app. */
  socketConnections: 10,
  /** The URL of a Socket Mode connection is valid once; its lifetime is assumed (Slack says "temporary"). */
  socketTicketMs: 30_000,
  /** @slack/socket-mode SlackWebSocket.ts: the client gives up 30 s after the last ping it saw. */
  pingIntervalMs: 10_000,
  /** docs.slack.dev/apis/events-api/using-socket-mode: the warning comes about ten seconds ahead. */
  disconnectWarningMs: 10_000,
  /** docs.slack.dev/interactivity/handling-user-interaction: five answers within thirty minutes. */
  responseUrlUses: 5,
  responseUrlMs: 30 * 60_000,
  /** docs.slack.dev/authentication/installing-with-oauth: a code is valid for ten minutes. */
  oauthCodeMs: 10 * 60_000,
  /** docs.slack.dev/authentication/using-token-rotation: twelve hours. */
  tokenMs: 12 * 60 * 60_000,
  /** docs.slack.dev/interactivity/handling-user-interaction: a trigger expires after three seconds. */
  triggerMs: 3_000,
  /** docs.slack.dev/reference/methods/chat.postMessage: longer texts are cut. */
  postTextChars: 40_000,
  /** docs.slack.dev/reference/methods/chat.update: longer texts are refused. */
  updateTextChars: 4_000,
  /** docs.slack.dev/reference/methods/chat.postMessage: `markdown_text`. */
  markdownTextChars: 12_000,
  /** slackapi/bolt-js issue 2509: `msg_blocks_too_long` was seen from about 13,200 characters on. */
  allBlocksChars: 13_200,
  /** docs.slack.dev/reference/block-kit/blocks */
  blocksPerMessage: 50,
  sectionTextChars: 3_000,
  sectionFields: 10,
  fieldTextChars: 2_000,
  headerTextChars: 150,
  contextElements: 10,
  actionsElements: 25,
  buttonTextChars: 75,
  selectOptions: 100,
  optionTextChars: 75,
  /** docs.slack.dev/reference/block-kit/composition-objects/option-object */
  optionValueChars: 150,
  /** docs.slack.dev/reference/block-kit/block-elements */
  buttonValueChars: 2_000,
  urlChars: 3_000,
  placeholderChars: 150,
  choiceOptions: 10,
  overflowOptions: 5,
  inputChars: 3_000,
  inputFiles: 10,
  /** docs.slack.dev/reference/block-kit/blocks/input-block */
  inputLabelChars: 2_000,
  /** docs.slack.dev/reference/views */
  blocksPerView: 100,
  viewTitleChars: 24,
  privateMetadataChars: 3_000,
  /** docs.slack.dev/reference/methods/views.open: `view_too_large` above 250 kB. */
  viewBytes: 250_000,
  /** docs.slack.dev/surfaces/modals: a modal holds up to three views. */
  viewsPerModal: 3,
  /** docs.slack.dev/reference/block-kit/block-elements/select-menu-element: `min_query_length`, the default. */
  minQueryLength: 3,
  markdownBlockChars: 12_000,
  imageTitleChars: 2_000,
  contextActions: 5,
  tableRows: 100,
  tableColumns: 20,
  videoTitleChars: 200,
  videoAuthorChars: 50,
  cardTitleChars: 150,
  cardBodyChars: 200,
  carouselCards: 10,
  /** docs.slack.dev/reference/methods/chat.postMessage: `too_many_attachments`. */
  attachments: 100,
  /** `metadata_too_large` of chat.postMessage; the number of characters is assumed. */
  metadataChars: 8_000,
  /** docs.slack.dev/reference/methods/chat.scheduleMessage: 120 days ahead, 30 messages in five minutes. */
  scheduleSeconds: 120 * 86_400,
  scheduleWindowSeconds: 300,
  scheduledPerWindow: 30,
  /** docs.slack.dev/reference/methods/conversations.invite */
  inviteUsers: 1_000,
  /** docs.slack.dev/reference/methods/conversations.history */
  historyDefault: 100,
  historyMax: 999,
  /** docs.slack.dev/reference/methods/conversations.replies */
  repliesMax: 1_000,
  /** docs.slack.dev/reference/methods/conversations.list, users.list, conversations.members */
  listMax: 1_000,
  /** Slack accepts larger files; the sandbox's are smaller because they are stored in its database. */
  fileBytes: 100 * 1024 * 1024,
  /** All files of the sandbox together: bytes and number. */
  allFileBytes: 512 * 1024 * 1024,
  files: 2_000,
  /** Files in one message; assumed. */
  filesPerMessage: 10,
  /** docs.slack.dev/reference/methods/files.getUploadURLExternal: `alt_txt_too_large`, `snippet_too_large`. */
  altTextChars: 1_000,
  snippetBytes: 1024 * 1024,
  /** How long an upload URL is valid; assumed. */
  uploadUrlMs: 60 * 60_000,
  /** docs.slack.dev/reference/methods/bookmarks.add: of one conversation. */
  bookmarks: 100,
  /** docs.slack.dev/reference/methods/conversations.open */
  openUsers: 8,
  /** docs.slack.dev/reference/methods/reactions.add, `too_many_emoji`; the number is assumed. */
  emojiPerMessage: 23,
} as const;

/** Entries of the sandbox's log that are kept in memory. */
export const JOURNAL_ENTRIES = 2_000;
