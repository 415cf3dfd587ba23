/**
 * Every kind of message and event that Slack documents, and undocumented ones that were seen, with what the bridge does
 * (B21). parseChatEvent and decideMessage follow these tables. Source: https://docs.slack.dev/reference/events/message,
 * https://docs.slack.dev/reference/events
 */

export interface MessageKind {
  /** `words`: a user's message, decided by the rules of chat; `none`: Slack's own notice, never forwarded. */
  treatment: 'words' | 'edit' | 'deletion' | 'none';
  /** How it is synced, or why it is not. */
  why: string;
}

const words = (why: string) => ({ treatment: 'words', why }) as const;
const none = (why: string) => ({ treatment: 'none', why }) as const;

/** The row of messages without a subtype. */
export const PLAIN = 'none';

/** By subtype. */
export const MESSAGE_KINDS = {
  [PLAIN]: words('A person’s message: it opens a ticket, or is one ticket message (B1, B12).'),
  me_message: words('A person’s `/me` line: as any message of theirs (B12).'),
  file_share: words(
    'A person’s message with files: its words, and each file as a link or, where chat has or shows it no more, as its name and why (B12, B18). The bridge’s own is part of the ticket message whose file it shows (B16).',
  ),
  thread_broadcast: words(
    'A reply sent to the channel too: one ticket message, under the reply’s timestamp (B60).',
  ),
  bot_message: words(
    'Another app’s message: put on a ticket where bots are allowed (B17); the bridge’s own is known as such (B16).',
  ),
  message_changed: {
    treatment: 'edit',
    why: 'An edit reaches the ticket message or the description (B6, B12). One that leaves `edited` and the words as they were (an unfurl, a counter, a translation) says nothing new; a `tombstone` in it is a deletion.',
  },
  message_deleted: { treatment: 'deletion', why: 'The ticket message is deleted (B12).' },
  message_replied: none(
    'A thread’s counters changed; the reply itself comes as a message. Slack leaves the subtype out.',
  ),
  reply_broadcast: none(
    'Tells that a reply was broadcast; the reply itself comes as `thread_broadcast` (B60).',
  ),
  tombstone: none(
    'What is left of a deleted message that has replies; its deletion came as `message_changed`.',
  ),
  ekm_access_denied: none(
    'The company withdrew its keys: the text is Slack’s, not the writer’s. What is on the ticket stays.',
  ),
  assistant_app_thread: none(
    'The first message of an assistant’s thread: a title and no words. What is said in it are plain messages.',
  ),
  huddle_thread: none('A huddle began or ended; what people write in its thread are plain replies.'),
  sh_room_created: none('A call began.'),
  sh_room_shared: none('A call was shared.'),
  channel_archive: none('The channel was archived; posts to it become dead letters (B49).'),
  channel_convert_to_private: none('The channel became private.'),
  channel_convert_to_public: none('The channel became public.'),
  channel_canvas_updated: none('The channel’s canvas was changed.'),
  channel_join: none('Somebody joined.'),
  channel_leave: none('Somebody left.'),
  channel_name: none('The channel was renamed; it is known by its id.'),
  channel_posting_permissions: none('Who may post was changed.'),
  channel_purpose: none('The channel’s description was changed.'),
  channel_topic: none('The channel’s topic was changed.'),
  channel_unarchive: none('The channel is open again.'),
  group_archive: none('A private channel was archived.'),
  group_join: none('Somebody joined a private channel.'),
  group_leave: none('Somebody left a private channel.'),
  group_name: none('A private channel was renamed.'),
  group_purpose: none('A private channel’s description was changed.'),
  group_topic: none('A private channel’s topic was changed.'),
  group_unarchive: none('A private channel is open again.'),
  pinned_item: none('Something was pinned.'),
  unpinned_item: none('Something was unpinned.'),
  reminder_add: none(
    'Somebody set a reminder; when it is due, Slackbot writes it, and Slackbot is an app (B17).',
  ),
  slackbot_response: none('An automatic answer of Slackbot.'),
  bot_add: none('An app was added.'),
  bot_remove: none('An app was removed.'),
  bot_enable: none('An app was turned on.'),
  bot_disable: none('An app was turned off.'),
  app_conversation_join: none('An app joined.'),
  app_conversation_leave: none('An app left.'),
  joiner_notification: none('An invited person arrived.'),
  joiner_notification_for_inviter: none('An invited person arrived.'),
  tabbed_canvas_updated: none('A canvas was changed.'),
  document_mention: none('Somebody was named in a canvas.'),
  file_comment: none('A comment on a file, which Slack writes no more: comments are replies since 2018.'),
  file_mention: none('A file was named, which Slack writes no more.'),
} as const satisfies Record<string, MessageKind>;

/** Returns how a message is treated, by its subtype; an unknown subtype is a notice. */
export function treatmentOf(subtype: string | undefined): MessageKind['treatment'] {
  const kinds: Record<string, MessageKind> = MESSAGE_KINDS;
  const name = subtype ?? PLAIN;
  return Object.hasOwn(kinds, name) ? (kinds[name]?.treatment ?? 'none') : 'none';
}

/** Returns whether a message of this subtype is a user's message. */
export function isUserText(subtype: string | undefined): boolean {
  return treatmentOf(subtype) === 'words';
}

export interface EventKind {
  /** How the bridge parses it; `none`: not subscribed to, and only recorded if it arrives. */
  as: 'message' | 'reaction' | 'person' | 'link' | 'home' | 'none';
  why: string;
}

const unused = (why: string) => ({ as: 'none', why }) as const;

/** By the event's type. */
export const EVENT_KINDS = {
  message: { as: 'message', why: 'See the messages above.' },
  app_mention: {
    as: 'message',
    why: 'The same message as `message`; whichever comes first is worked, the other counted (B2).',
  },
  reaction_added: {
    as: 'reaction',
    why: 'Some emoji open a ticket (B1, B5); any other emoji is the person’s on the ticket message (B12), but for those that are kept for the bot’s marks (B29, B54).',
  },
  reaction_removed: {
    as: 'reaction',
    why: 'It goes from the ticket message (B12); a ticket stays when its 🎫 is taken away.',
  },
  app_home_opened: {
    as: 'home',
    why: 'A user who opens their Home sees it up to date; from then on it is updated with every change (B38).',
  },
  link_shared: {
    as: 'link',
    why: 'A link to a ticket is shown with its title and status; a private ticket only in its own thread (B41).',
  },
  app_uninstalled: unused(
    'Where workspaces install the app it is removed when the event arrives; otherwise calls fail, which the doctor and the log report.',
  ),
  tokens_revoked: unused(
    'Where workspaces install the app it is removed when the event arrives; otherwise calls fail, which the doctor and the log report.',
  ),
  app_installed: unused('The bridge looks at start who it is.'),
  app_deleted: unused('For administrators of apps.'),
  app_requested: unused('For administrators of apps.'),
  app_uninstalled_team: unused('For administrators of organisations.'),
  app_context_changed: unused('For assistants.'),
  app_rate_limited: unused(
    'Comes outside of events: the bridge logs it and compares both sides, which finds what Slack left out (B50).',
  ),
  agent_session_stopped: unused('For assistants.'),
  agent_session_title_changed: unused('For assistants.'),
  assistant_thread_started: unused('For assistants.'),
  assistant_thread_context_changed: unused('For assistants.'),
  call_rejected: unused('For calls.'),
  channel_archive: unused('Posts to an archived channel become dead letters with that reason (B49).'),
  channel_created: unused('A channel matters once it is linked or spoken in.'),
  channel_deleted: unused('Posts to it become dead letters with that reason (B49).'),
  channel_history_changed: unused(
    'What was imported or deleted in bulk is found by comparing both sides (B50).',
  ),
  channel_id_changed: unused('A channel that gets another id has to be linked again.'),
  channel_left: unused('Posts become dead letters with that reason (B49).'),
  channel_rename: unused('Channels are known by their ids; names are looked up when they are shown.'),
  channel_shared: unused('People of other organisations are looked up as anybody.'),
  channel_unarchive: unused('Dead letters are retried by hand.'),
  channel_unshared: unused('Nothing depends on it.'),
  dnd_updated: unused('Nobody is woken by the bridge.'),
  dnd_updated_user: unused('Nobody is woken by the bridge.'),
  email_domain_changed: unused('E-mail addresses are looked up per person.'),
  emoji_changed: unused('Emoji of a workspace cross by their names.'),
  entity_details_requested: unused('There are no entities.'),
  file_change: unused('A file is a link; what stands behind it is Slack’s.'),
  file_comment_deleted: unused('Slack has no comments on files any more.'),
  file_created: unused('A file comes with its message.'),
  file_deleted: unused('The link stays, and Slack says that the file is gone.'),
  file_public: unused('The bridge makes no file public.'),
  file_shared: unused('A file comes with its message, as `file_share`.'),
  file_unshared: unused('The link stays.'),
  function_executed: unused('There are no workflow steps.'),
  grid_migration_finished: unused('Not handled: ids may change with it.'),
  grid_migration_started: unused('Not handled: ids may change with it.'),
  group_archive: unused('As `channel_archive`.'),
  group_close: unused('How one person’s client looks.'),
  group_deleted: unused('As `channel_deleted`.'),
  group_history_changed: unused('As `channel_history_changed`.'),
  group_left: unused('As `channel_left`.'),
  group_open: unused('How one person’s client looks.'),
  group_rename: unused('As `channel_rename`.'),
  group_unarchive: unused('As `channel_unarchive`.'),
  im_close: unused('How one person’s client looks.'),
  im_created: unused('A direct conversation matters once something is said in it.'),
  im_history_changed: unused('As `channel_history_changed`.'),
  im_open: unused('How one person’s client looks.'),
  invite_requested: unused('For administrators.'),
  member_joined_channel: unused('Membership is looked up where it matters.'),
  member_left_channel: unused('Membership is looked up where it matters.'),
  message_metadata_posted: unused(
    'The bridge reads the marks of its own posts where it looks for them (B51).',
  ),
  message_metadata_updated: unused('As `message_metadata_posted`.'),
  message_metadata_deleted: unused('As `message_metadata_posted`.'),
  pin_added: unused('Pins do not cross.'),
  pin_removed: unused('Pins do not cross.'),
  shared_channel_invite_accepted: unused('For administrators.'),
  shared_channel_invite_approved: unused('For administrators.'),
  shared_channel_invite_declined: unused('For administrators.'),
  shared_channel_invite_received: unused('For administrators.'),
  shared_channel_invite_requested: unused('For administrators.'),
  star_added: unused('What one person saved for later.'),
  star_removed: unused('What one person saved for later.'),
  subteam_created: unused('User groups are text on a ticket (B19).'),
  subteam_members_changed: unused('User groups are text on a ticket (B19).'),
  subteam_self_added: unused('User groups are text on a ticket (B19).'),
  subteam_self_removed: unused('User groups are text on a ticket (B19).'),
  subteam_updated: unused('User groups are text on a ticket (B19).'),
  team_access_granted: unused(
    'The receiver asks Slack again which workspaces of an organisation the app may enter.',
  ),
  team_access_revoked: unused(
    'The receiver asks Slack again which workspaces of an organisation the app may enter.',
  ),
  team_domain_change: unused('Links are made by Slack.'),
  team_join: unused('A person becomes a user when they first speak (B10).'),
  team_rename: unused('The workspace is known by its id.'),
  user_change: {
    as: 'person',
    why: 'A person who is known here and changed in name, picture, e-mail, role or by leaving is read again (B10, B13); a change of status is not kept.',
  },
  user_huddle_changed: unused('Who is in a huddle does not matter.'),
  user_profile_changed: unused('Comes with `user_change`, which also tells who left.'),
  user_status_changed: unused('A person’s status does not matter.'),
  workflow_deleted: unused('There are no workflow steps.'),
  workflow_published: unused('There are no workflow steps.'),
  workflow_step_deleted: unused('There are no workflow steps.'),
  workflow_step_execute: unused('There are no workflow steps.'),
  workflow_unpublished: unused('There are no workflow steps.'),
} as const satisfies Record<string, EventKind>;

/** Returns how an event of this type is parsed; unknown ones are only recorded. */
export function readAs(type: string): EventKind['as'] {
  const kinds: Record<string, EventKind> = EVENT_KINDS;
  return Object.hasOwn(kinds, type) ? (kinds[type]?.as ?? 'none') : 'none';
}
