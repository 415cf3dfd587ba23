/** The fields of a record that an audit entry shows, with before and after. A value that is left out was not shown. */
export type Changes = Record<string, { before?: unknown; after?: unknown }>;

/** Secrets and addresses with secrets in them, texts, and people: only that they changed is recorded. */
const HIDDEN = new Set(['key', 'secret', 'url', 'content', 'firstName', 'lastName', 'email', 'image']);
/** Set by every write, or counted. */
const IGNORED = new Set(['id', 'createdAt', 'updatedAt', 'lastUsedAt', '_count', 'workspace']);
/** Characters of a value in JSON. */
const LONGEST = 300;

/** Returns what is different between two versions of a record; one of them is absent if it was created or deleted. */
export function changesBetween(before: object | undefined, after: object | undefined): Changes {
  const [old, now] = [valuesOf(before), valuesOf(after)];
  const changes: Changes = {};
  for (const path of new Set([...old.keys(), ...now.keys()])) {
    const [was, is] = [old.get(path), now.get(path)];
    if (was === is || (isEmpty(was) && isEmpty(is))) continue;
    changes[path] = {
      ...(before && isShown(path, was) && { before: parsed(was) }),
      ...(after && isShown(path, is) && { after: parsed(is) }),
    };
  }
  return changes;
}

/** The values of a record as JSON, by their paths. */
function valuesOf(record: object | undefined, prefix = ''): Map<string, string> {
  const values = new Map<string, string>();
  for (const [name, value] of Object.entries(record ?? {}) as [string, unknown][]) {
    const path = `${prefix}${name}`;
    if (IGNORED.has(name)) continue;
    if (isRecord(value) && (name === 'settings' || !('id' in value)))
      for (const [inner, its] of valuesOf(value, `${path}.`)) values.set(inner, its);
    else values.set(path, JSON.stringify(refersTo(value)));
  }
  return values;
}

/** Returns the ids of other records in place of the records. */
function refersTo(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(refersTo);
  return isRecord(value) && 'id' in value ? value['id'] : value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEmpty(json: string | undefined): boolean {
  return json === undefined || json === 'null' || json === '[]';
}

/** Nested objects are left out: they may contain anything. */
function isShown(path: string, json: string | undefined): boolean {
  const name = path.split('.').at(-1) ?? '';
  return !HIDDEN.has(name) && (json === undefined || (json.length <= LONGEST && !json.includes('{')));
}

function parsed(json: string | undefined): unknown {
  return json === undefined ? null : JSON.parse(json);
}
