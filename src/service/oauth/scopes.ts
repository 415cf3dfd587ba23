/** The switch of the workspace that an AI tool needs; each includes those before it. */
export const NEEDS = ['read', 'write', 'send'] as const;
export type Need = (typeof NEEDS)[number];

/** The permissions of a program, by OAuth scope. */
export const SCOPES = {
  'tickets:read': 'read',
  'tickets:write': 'write',
  'tickets:send': 'send',
} as const satisfies Record<string, Need>;
export type Scope = keyof typeof SCOPES;

const ALL = Object.keys(SCOPES) as Scope[];

/**
 * Returns the scopes that a program asks for, with those that they need; all if it names none. Undefined if it names one
 * that does not exist.
 */
export function scopesIn(asked: string | undefined): Scope[] | undefined {
  const names = (asked ?? '').split(' ').filter((name) => name !== '');
  if (names.length === 0) return ALL;
  if (names.some((name) => !(name in SCOPES))) return undefined;
  const last = Math.max(...names.map((name) => ALL.indexOf(name as Scope)));
  return ALL.slice(0, last + 1);
}

/** Returns what scopes allow. */
export function allowedBy(scopes: readonly string[]): Record<Need, boolean> {
  const has = (need: Need) => scopes.some((scope) => SCOPES[scope as Scope] === need);
  return Object.fromEntries(NEEDS.map((need) => [need, has(need)])) as Record<Need, boolean>;
}
