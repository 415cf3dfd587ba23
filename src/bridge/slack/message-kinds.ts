/**
 * What the bridge does with each kind of message and event (B21); a kind without a row is not handled. Those that Slack
 * documents and that are left out are in test/bridge/slack/ignored-kinds.ts, each with the reason. Source:
 * https://docs.slack.dev/reference/events/message, https://docs.slack.dev/reference/events
 */

/** `words`: a user's message, decided by the rules of chat; `none`: Slack's own notice, never forwarded. */
type Treatment = 'words' | 'edit' | 'deletion' | 'none';

/** The row of messages without a subtype. */
export const PLAIN = 'none';

/** By subtype. */
export const MESSAGE_KINDS: ReadonlyMap<string, Treatment> = new Map([
  // It opens a ticket, or is one ticket message (B1, B12).
  [PLAIN, 'words'],
  // A `/me` line.
  ['me_message', 'words'],
  // Its text, and each file as a link or, if Slack no longer has or shows it, as its name and the reason (B12, B18).
  // The bridge's own is part of the ticket message whose file it shows (B16).
  ['file_share', 'words'],
  // A reply sent to the channel too: one ticket message, under the reply's timestamp (B60).
  ['thread_broadcast', 'words'],
  // Another app's message: forwarded where bots are allowed (B17); the bridge's own is recognised (B16).
  ['bot_message', 'words'],
  // An edit changes the ticket message or the description (B6, B12). One that leaves `edited` and the text unchanged
  // (an unfurl, a counter, a translation) has no effect; a `tombstone` in it is a deletion. Of another app's message,
  // whose changes may have no `edited`, other words are an edit.
  ['message_changed', 'edit'],
  // The ticket message is deleted (B12).
  ['message_deleted', 'deletion'],
]);

/** Returns how a message is treated, by its subtype; an unknown subtype is a notice. */
export function treatmentOf(subtype: string | undefined): Treatment {
  return MESSAGE_KINDS.get(subtype ?? PLAIN) ?? 'none';
}

/** Returns whether a message of this subtype is a user's message. */
export function isUserText(subtype: string | undefined): boolean {
  return treatmentOf(subtype) === 'words';
}

type Parsed = 'message' | 'reaction' | 'person' | 'link' | 'home';

/** By the event's type; other events are not subscribed to, and only recorded if they arrive. */
export const EVENT_KINDS: ReadonlyMap<string, Parsed> = new Map([
  ['message', 'message'],
  // The same message as `message`: the first one is handled, the other counted (B2).
  ['app_mention', 'message'],
  // Some emoji open a ticket (B1, B5); any other is the user's on the ticket message (B12), except those that are
  // reserved for the bot (B29, B54).
  ['reaction_added', 'reaction'],
  // It is removed from the ticket message (B12); a ticket stays when its 🎫 is removed.
  ['reaction_removed', 'reaction'],
  // The Home is drawn when it is opened, and updated with every change from then on (B38).
  ['app_home_opened', 'home'],
  // A link to a ticket shows its title and status; to a private ticket only in its own thread (B41).
  ['link_shared', 'link'],
  // A known user whose name, picture, e-mail address or role changed, or who left, is read again (B10, B13); a change
  // of status is not stored.
  ['user_change', 'person'],
]);
