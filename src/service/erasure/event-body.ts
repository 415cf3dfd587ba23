import { type Erased, NOBODY } from './erased.ts';

/** The author of a message, as its event has it. */
const AUTHOR = { firstName: NOBODY.firstName, lastName: NOBODY.lastName, email: null, image: null };

/**
 * Returns the body of an event without an erased person: as the author of a message, in mentions, and wherever one of
 * these names, their e-mail address or a chat account is written as whole words.
 */
export function withoutPerson(body: string, { personId, names, addresses }: Erased): string {
  const called = [...names, ...addresses];
  const named = wholeWords(called);
  // A body may have a megabyte of texts, few of which name them; to look for whole words takes a quarter of a second.
  const withoutMentions = (text: string): string =>
    text.replaceAll(/\[@(?:[^\]\\]|\\.)*\]\(user:([^)]*)\)/g, (whole, id: string) =>
      id === personId ? `[@${NOBODY.name}](user:${id})` : whole,
    );
  const clean = (text: string): string => {
    const unmentioned = text.includes(personId) ? withoutMentions(text) : text;
    const isNamed = called.some((name) => unmentioned.includes(name));
    return isNamed ? unmentioned.replaceAll(named, NOBODY.name) : unmentioned;
  };
  return JSON.stringify(JSON.parse(body), (_field, value: unknown) => {
    if (typeof value === 'string') return clean(value);
    const isTheirs = typeof value === 'object' && value !== null && 'authorId' in value && 'author' in value;
    return isTheirs && value.authorId === personId ? { ...value, author: AUTHOR } : value;
  });
}

/**
 * Others may have a longer name that begins with one of these. Longer texts come first, as they may contain shorter
 * ones.
 */
function wholeWords(texts: readonly string[]): RegExp {
  const choice = texts
    .toSorted((a, b) => b.length - a.length)
    .map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  return new RegExp(`(?<![\\p{L}\\p{N}_])(?:${choice.join('|') || '(?!)'})(?![\\p{L}\\p{N}_])`, 'gu');
}
