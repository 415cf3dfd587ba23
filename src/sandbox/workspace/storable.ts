/**
 * A value without what no database takes in a text: NUL and half characters (lone surrogates) become U+FFFD. Through
 * objects and arrays, names of fields included; everything that comes in from an app passes here.
 */
export function storable(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [storableText(name), storable(inner)]),
  );
}

export function storableText(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}
