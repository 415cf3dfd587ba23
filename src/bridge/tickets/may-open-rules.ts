/**
 * Whether somebody may open a ticket (B9): guests and people of other organisations only where the queue allows them.
 * Judged is who asks: a member may open one for what a guest wrote.
 * @param queue undefined or without settings at a service that has none: then nobody said no.
 */
export function mayOpen(
  asker: { is_guest: boolean },
  queue: { settings: { allowGuestUsers: boolean } | null } | undefined,
): boolean {
  return !asker.is_guest || queue?.settings?.allowGuestUsers !== false;
}
