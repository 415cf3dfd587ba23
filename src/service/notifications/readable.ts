import { type RawBuilder, sql } from 'kysely';

import { isOpenTo, isVisibleTo, readsNotes, type Viewer } from '../access/viewer.ts';

/**
 * Returns a condition that a viewer may have a notification about a ticket `t` and, if there is one, its message `m`.
 * Somebody from whom a private ticket was taken may know that.
 */
export function mayBeTold(viewer: Viewer, kind: string): RawBuilder<boolean> {
  return sql<boolean>`((${sql.ref(kind)} = 'reassigned' and ${isOpenTo(viewer)})
    or (${isVisibleTo(viewer)} and (m.private is not true or ${readsNotes(viewer) ?? sql`false`})))`;
}
