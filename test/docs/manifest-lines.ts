/** A value of manifest.yml. */
export type Value = string | boolean | Value[] | { [key: string]: Value };

/**
 * Parses the subset of YAML in manifest.yml: mappings and lists with two-space indentation, plain or
 * single-quoted texts, true and false. Throws on anything else.
 */
export function readManifest(text: string): Value {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.trimStart().startsWith('#'));
  let at = 0;
  const indentOf = (line: string) => /^ */.exec(line)?.[0].length ?? 0;

  function block(indent: number): Value {
    return /^ *- /.test(lines[at] ?? '') ? list(indent) : mapping(indent);
  }

  function list(indent: number): Value[] {
    const items: Value[] = [];
    for (; at < lines.length && indentOf(lines[at] ?? '') === indent;) {
      const item = /^ *- (.+)$/.exec(lines[at] ?? '')?.[1];
      if (item === undefined) throw new Error(`not a list item: ${lines[at] ?? ''}`);
      if (/^[\w-]+:(?: |$)/.test(item)) {
        // A mapping as an item: its first key follows the hyphen, two columns in.
        lines[at] = `${' '.repeat(indent + 2)}${item}`;
        items.push(mapping(indent + 2));
      } else {
        items.push(scalar(item));
        at++;
      }
    }
    return items;
  }

  function mapping(indent: number): Value {
    const entries: Record<string, Value> = {};
    for (; at < lines.length && indentOf(lines[at] ?? '') === indent;) {
      const [, key, rest] = /^ *([\w-]+):(?: (.+))?$/.exec(lines[at] ?? '') ?? [];
      if (key === undefined) throw new Error(`not a key: ${lines[at] ?? ''}`);
      if (key in entries) throw new Error(`${key} stands twice`);
      at++;
      entries[key] = rest === undefined ? block(indent + 2) : scalar(rest);
    }
    return entries;
  }

  const value = block(0);
  if (at < lines.length) throw new Error(`wrongly indented: ${lines[at] ?? ''}`);
  return value;
}

function scalar(text: string): string | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  const quoted = /^'([^']*)'$/.exec(text)?.[1];
  if (quoted !== undefined) return quoted;
  // Texts that YAML would parse as another value.
  if (/^[\s"'&*!|>%@`[\]{},#?-]|: | #|:$|\|/.test(text)) throw new Error(`quote this: ${text}`);
  return text;
}
