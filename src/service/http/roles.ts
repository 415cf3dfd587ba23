import type { Role } from '../../contract/index.ts';

const RANK: Record<Role, number> = { read: 0, agent: 1, admin: 2 };

/** Returns whether a key of role `has` may do what needs role `needs`: each role includes those before it. */
export function allows(has: Role, needs: Role): boolean {
  return RANK[has] >= RANK[needs];
}
