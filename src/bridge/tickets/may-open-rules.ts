/**
 * Returns whether a user may open a ticket (B9): guests and users of other organisations only if the queue allows it.
 * It is about the user who asks: a member may open one for a guest's message.
 * @param queue undefined or without settings at a service that has none: then it is allowed.
 */
export function mayOpen(
  asker: { is_guest: boolean },
  queue: { settings: { allowGuestUsers: boolean } | null } | undefined,
): boolean {
  return !asker.is_guest || queue?.settings?.allowGuestUsers !== false;
}
