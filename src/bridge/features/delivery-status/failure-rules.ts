/** Slack's error codes that explain why a message was not delivered (reference pages of the methods). */
const CHAT: ReadonlyMap<string, string> = new Map([
  ['channel_not_found', 'The channel no longer exists or the app was removed from it.'],
  ['not_in_channel', 'The channel no longer exists or the app was removed from it.'],
  ['is_archived', 'The channel is archived.'],
  ['thread_not_found', 'The thread no longer exists.'],
  ['message_not_found', 'The message no longer exists.'],
  ['user_not_found', 'Its author is no longer in this workspace.'],
]);

const SERVICE: ReadonlyMap<string, string> = new Map([
  ['401', 'The help desk refuses the app’s key.'],
  ['403', 'The help desk does not allow it.'],
  ['404', 'Its ticket no longer exists.'],
  ['409', 'Its ticket no longer takes messages.'],
  ['413', 'It is too long for a ticket.'],
]);

/**
 * Returns why something could not reach its ticket, for the person who wrote it (B54).
 * @param code as stored with the failed job: Slack's error code or the service's status
 */
export function failureReason(code: string | null): string {
  if (code !== null && /^\d{3}$/.test(code)) return SERVICE.get(code) ?? 'The help desk does not accept it.';
  return CHAT.get(code ?? '') ?? 'Something went wrong in deskbridge; its admins can see what.';
}
