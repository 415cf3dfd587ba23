/** The ids of people by the name that stands in the text: `@Mira Lind`. */
export type Mentioned = Readonly<Record<string, string>>;

const LINK = /\[@((?:[^\]\\]|\\.)+)\]\(user:([\w.:-]+)\)/g;

/** Returns a message with its mentions as people read them, and whom they mean. */
export function fromContent(content: string): { text: string; mentioned: Mentioned } {
  const mentioned: Record<string, string> = {};
  const text = content.replaceAll(LINK, (_, label: string, id: string) => {
    const name = label.replaceAll(/\\(.)/g, '$1');
    mentioned[name] = id;
    return `@${name}`;
  });
  return { text, mentioned };
}

/** Returns a text with its mentions as links, as messages store them. Of two names the longer one counts. */
export function toContent(text: string, mentioned: Mentioned): string {
  const names = Object.keys(mentioned)
    .filter((name) => text.includes(`@${name}`))
    .toSorted((one, other) => other.length - one.length);
  if (names.length === 0) return text;
  const escaped = names.map((name) => name.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`));
  return text.replaceAll(
    new RegExp(String.raw`@(${escaped.join('|')})(?![\p{L}\p{N}])`, 'gu'),
    (_, name: string) => {
      const label = name.replaceAll(/[[\]\\]/g, String.raw`\$&`);
      return `[@${label}](user:${mentioned[name] ?? ''})`;
    },
  );
}
