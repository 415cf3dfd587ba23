import { type Erased, NOBODY } from './erased.ts';

/** The author of a message, as its event has it. */
const AUTHOR = { firstName: NOBODY.firstName, lastName: NOBODY.lastName, email: null, image: null };

/** Returns the title of a ticket without what names an erased person in titles alone. */
export type CleanTitle = (ticketId: string, title: string) => string;

/**
 * Returns the body of an event without an erased person: as the author of a message, in mentions, and wherever one of
 * these names, their e-mail address or a chat account is written as whole words.
 * @param cleanTitle of tickets, their parents, children and links.
 */
export function withoutPerson(
  body: string,
  { personId, names, addresses }: Erased,
  cleanTitle: CleanTitle = (_, title) => title,
): string {
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
  const titleOf = (ticketId: unknown, title: unknown) =>
    typeof ticketId === 'string' && typeof title === 'string' ? cleanTitle(ticketId, title) : title;
  return JSON.stringify(JSON.parse(body), (_field, value: unknown) => {
    if (typeof value === 'string') return clean(value);
    if (!isObject(value)) return value;
    const { id, title, authorId, data, changes } = value;
    const earlier = isObject(changes) ? changes['title'] : undefined;
    return {
      ...value,
      ...(typeof title === 'string' && { title: titleOf(id, title) }),
      ...('author' in value && authorId === personId && { author: AUTHOR }),
      ...(isObject(data) &&
        Array.isArray(earlier) && {
          changes: { ...(changes as object), title: earlier.map((one) => titleOf(data['id'], one)) },
        }),
    };
  });
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Matches any of these as whole words: others may have a longer name that begins with one of them. Longer texts come
 * first, as they may contain shorter ones.
 * @param behind the sign before them, which stays.
 */
export function wholeWords(texts: readonly string[], behind = ''): RegExp {
  const choice = texts
    .toSorted((a, b) => b.length - a.length)
    .map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  return new RegExp(
    `${behind && `(?<=${behind})`}(?<![\\p{L}\\p{N}_])(?:${choice.join('|') || '(?!)'})(?![\\p{L}\\p{N}_])`,
    'gu',
  );
}
