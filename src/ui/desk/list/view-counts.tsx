import type { AnchorHTMLAttributes } from 'react';

/** How many tickets a view has. */
export function ViewCount(_: { view: string }) {
  return null;
}

/** How many notifications are unread. */
export function InboxCount() {
  return null;
}

/** The views that were saved, shared ones and one's own. */
export function SavedViews(_: { link: AnchorHTMLAttributes<HTMLAnchorElement> | object }) {
  return null;
}
