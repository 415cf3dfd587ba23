import { type RawBuilder, sql } from 'kysely';

import { isReadableBy, isVisibleTo, viewerOf } from '../access/viewer.ts';
import type { Caller } from '../handler.ts';

/**
 * Returns a condition that a caller may see a file `f`: as its message or its ticket; one that is not attached yet is
 * its author's alone.
 */
export function isFileVisibleTo(caller: Caller): RawBuilder<boolean> {
  const viewer = viewerOf(caller);
  if (!viewer) return sql<boolean>`true`;
  return sql<boolean>`case
    when f.attached_at is null then coalesce(f.author_id = ${caller.personId}, false)
    when f.ticket_message_id is not null then exists (select from ticket_message m
      where m.workspace_id = f.workspace_id and m.id = f.ticket_message_id and ${isReadableBy(viewer)})
    else exists (select from ticket t
      where t.workspace_id = f.workspace_id and t.id = f.ticket_id and ${isVisibleTo(viewer)}) end`;
}
