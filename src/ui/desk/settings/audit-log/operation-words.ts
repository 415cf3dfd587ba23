/** A field before and after; of a record that was created or deleted one is missing. */
export interface Sides {
  before?: unknown;
  after?: unknown;
}

/** What became of a record by the fields that an entry has of it. */
export function fateOf(changes: Readonly<Record<string, Sides>>): 'created' | 'deleted' | 'changed' {
  const shown = Object.values(changes).filter((sides) => 'before' in sides || 'after' in sides);
  if (shown.length === 0) return 'changed';
  if (shown.every((sides) => !('before' in sides))) return 'created';
  return shown.every((sides) => !('after' in sides)) ? 'deleted' : 'changed';
}

/** The name of a record that was created or deleted; undefined if it was only changed, or has none. */
export function nameIn({ name, label }: Readonly<Record<string, Sides>>): string | undefined {
  const { before, after } = name ?? label ?? {};
  const said = before === undefined ? after : after === undefined ? before : undefined;
  return typeof said === 'string' && said !== '' ? said : undefined;
}
