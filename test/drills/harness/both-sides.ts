import { DEMO } from '../../../src/start/demo.ts';
import type { SeenMessage } from '../../harness/chat.ts';
import type { Violation } from '../../harness/history.ts';
import { arrivedAt } from '../../harness/history-order.ts';
import type { World } from '../../harness/world.ts';

/** The authors: two people in chat, and an agent who only uses the service. */
export const PEOPLE = ['ada', 'ben'] as const;
export const AGENT = 'mira';
export type Who = (typeof PEOPLE)[number] | typeof AGENT;

/** One message of a conversation, as all sides must have it. */
export interface Line {
  by: Who;
  /** Timestamp in chat or id on the ticket, depending on the author. */
  id: string;
  /** Of what the agent wrote: the ticket that got it. */
  ticketId?: string;
  text: string;
  /** The name of its picture. */
  file?: string;
  deleted: boolean;
  /** Reactions as emoji and name: `tada ada`. */
  held: Set<string>;
}

/** What is not as it must be. */
export interface Difference {
  kind: Violation['kind'];
  what: string;
}

/** One message as one side shows it, in a common form. */
interface Seen {
  by: string;
  text: string;
  files: string[];
  held: string[];
}

/** Users of the service by id. */
export type Names = ReadonlyMap<string, string>;

/** A picture in the Markdown of the agent's message. */
export const withPicture = (text: string, file: string | undefined, url: string) =>
  file === undefined ? text : `${text} ![${file}](${url})`;

/** When the messages of a ticket reached it, by their text: chat may report one late. */
type Arrivals = ReadonlyMap<string, string>;

/**
 * The differences of any side from the expected lines: lost, doubled, out of order, wrong. People and the
 * agent are compared separately, since their relative order is undefined. In the team's thread a line that
 * reached the ticket late stands behind those that were there already.
 */
export function differences(
  lines: readonly Line[],
  sides: Readonly<Record<'chat' | 'team' | 'ticket', readonly Seen[]>>,
  arrivals: Arrivals,
): Difference[] {
  const isAgent = (one: { by: string }) => one.by === AGENT;
  const there = lines
    .filter(({ deleted }) => !deleted)
    .map(({ by, text, file, held }) => ({ by, text, files: file ? [file] : [], held: [...held].toSorted() }));
  // In the team's thread the bot, which stands for the agent here, shows each emoji that anybody holds.
  const inTeam = there.map((one) => ({
    ...one,
    held: [...new Set(one.held.map((each) => `${each.split(' ')[0]} ${AGENT}`))].toSorted(),
  }));
  const troubles: Difference[] = [];
  for (const [side, all] of Object.entries(sides)) {
    const wanted: readonly Seen[] = side === 'team' ? inTeam : there;
    for (const [who, is] of [
      ['people', (one: Seen) => !isAgent(one)],
      ['agent', isAgent],
    ] as const) {
      const expected = wanted.filter(is);
      const shown = side === 'team' ? asSaid(all.filter(is), expected, arrivals) : all.filter(is);
      if (JSON.stringify(shown) !== JSON.stringify(expected))
        troubles.push(classed(`${side}, ${who}`, shown, expected));
    }
  }
  return troubles;
}

/** The differences of the internal notes on a ticket and in its team's thread from those that were written. */
export function noteDifferences(
  notes: readonly Line[],
  sides: Readonly<Record<'team' | 'ticket', readonly string[]>>,
): Difference[] {
  const wanted = notes.filter(({ deleted }) => !deleted).map(({ text }) => asSeen(text));
  return Object.entries(sides).flatMap(([side, texts]): Difference[] => {
    const shown = texts.map((text) => asSeen(text));
    return JSON.stringify(shown) === JSON.stringify(wanted) ? [] : [classed(`notes, ${side}`, shown, wanted)];
  });
}

/**
 * The differences of all messages of some tickets from what was written on them: each is on one of them, once. Where a
 * ticket is merged while words are on their way, it is not said which one gets them.
 */
export async function togetherDifferences(
  service: World['service'],
  ticketIds: readonly string[],
  { lines, notes }: { lines: readonly Line[]; notes: readonly Line[] },
  users: Names,
): Promise<Difference[]> {
  const shown: Seen[] = [];
  for (const ticketId of ticketIds)
    for (const message of (await service.listTicketMessages({ query: { ticketId, limit: 1000 } })).items)
      if (!message.deleted && (REMARK.test(message.content) || message.content.startsWith('line ')))
        shown.push(asSeen(message.content, readBy(nameOf(users, message.authorId), message.private)));
  const wanted = [
    ...lines.map((line) => ({ ...line, by: readBy(line.by, false) })),
    ...notes.map((note) => ({ ...note, by: readBy(note.by, true) })),
  ].flatMap(({ by, text, deleted }) => (deleted ? [] : [asSeen(text, by)]));
  const sorted = (all: Seen[]) => all.toSorted((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0));
  return JSON.stringify(sorted(shown)) === JSON.stringify(sorted(wanted))
    ? []
    : [classed('tickets together', sorted(shown), sorted(wanted))];
}

const readBy = (by: string, isPrivate: boolean) => (isPrivate ? `${by}, for the team` : by);

const asSeen = (text: string, by: string = AGENT): Seen => ({ by, text, files: [], held: [] });

/** What the team's thread shows in the order in which it was said, unless it stands in another one without a reason. */
function asSaid(shown: readonly Seen[], wanted: readonly Seen[], arrivals: Arrivals): readonly Seen[] {
  const place = (one: Seen) => wanted.findIndex(({ text }) => text === one.text);
  const arrived = ({ text }: Seen) => arrivals.get(text) ?? '';
  const isExcused = shown.every((one, at) =>
    shown.slice(at + 1).every((later) => place(one) <= place(later) || arrived(one) < arrived(later)),
  );
  return isExcused ? shown.toSorted((a, b) => place(a) - place(b)) : shown;
}

/** Whom the bot's posts in a thread stand for: in the requester's the agent, in the team's everybody. */
const POSTED = {
  chat: new Map<string, string>([['Mira Lind', AGENT]]),
  team: new Map<string, string>([
    ['Mira Lind', AGENT],
    // As the bridge may know them so far.
    ...PEOPLE.flatMap((name): [string, string][] => [
      [name, name],
      [`${DEMO.people[name].firstName} ${DEMO.people[name].lastName}`, name],
    ]),
  ]),
};

/** Whom a post under this name stands for. */
export const nameInChat = (username: string | undefined): string | undefined =>
  POSTED.team.get(username ?? '');

/** The conversation in a thread, without cards and notices. */
export function inThread(side: keyof typeof POSTED, thread: readonly SeenMessage[], bot: string): Seen[] {
  const chatNames = new Map<string, string>(
    Object.entries(DEMO.people).map(([name, { id }]) => [id, name]),
  ).set(bot, AGENT);
  const seen: Seen[] = [];
  for (const { user, username, bot_id, text, files, reactions } of thread) {
    const isOurs = bot_id !== undefined || user === bot;
    const titles = (files ?? []).map(({ name, title }) => title ?? name ?? '');
    // A picture of the agent is a separate message after its text.
    if (isOurs && titles.length > 0) {
      const before = seen.findLast(({ by }) => by === AGENT);
      if (before && before.text.endsWith(` ${titles[0]}`) && before.files.length === 0) {
        before.text = before.text.slice(0, -` ${titles[0]}`.length);
        before.files = titles;
      } else seen.push({ by: AGENT, text: 'a file that is not behind its text', files: titles, held: [] });
    } else if (text.startsWith('line ') || titles.length > 0)
      seen.push({
        by: isOurs ? (POSTED[side].get(username ?? '') ?? `a post as ${username}`) : nameOf(chatNames, user),
        ...(side === 'team' ? withLinkedFile(text) : { text, files: titles }),
        held: reactions
          .flatMap(({ name, users }) => users.map((id) => `${name} ${nameOf(chatNames, id)}`))
          .toSorted(),
      });
  }
  return seen;
}

/** A person's file is linked below their words. */
function withLinkedFile(shown: string): Pick<Seen, 'text' | 'files'> {
  const [, text = shown, file] = /^(line \d+)\s+(line \d+\.png) \(image\/png, 1 kB\)$/.exec(shown) ?? [];
  return { text, files: file === undefined ? [] : [file] };
}

/** The texts of the desk's notes that a team's thread shows. */
export const notesIn = (thread: readonly SeenMessage[]): string[] =>
  thread.filter(({ bot_id, text }) => bot_id !== undefined && REMARK.test(text)).map(({ text }) => text);

/** The conversation on its ticket, and the desk's notes. */
export async function onTicket(
  service: World['service'],
  ticketId: string,
  users: Names,
): Promise<{ seen: Seen[]; notes: string[]; arrivals: Arrivals }> {
  const { items } = await service.listTicketMessages({ query: { ticketId, limit: 1000 } });
  const arrivals = new Map<string, string>();
  const notes = items
    .filter(({ deleted, private: isPrivate, content }) => !deleted && isPrivate && REMARK.test(content))
    .map(({ content }) => content);
  const seen = items
    .filter(({ deleted, content, workflow }) => !deleted && !workflow && !IS_NOTE.test(content))
    .map((message) => {
      const { authorId, content, reactions } = message;
      const by = nameOf(users, authorId);
      const [, text = content, file] = (by === AGENT ? PICTURE : FILE_OF_CHAT).exec(content) ?? [];
      const held = reactions.map((one) => `${one.emoji} ${nameOf(users, one.authorId)}`).toSorted();
      arrivals.set(text, arrivedAt(message));
      return { by, text, files: file === undefined ? [] : [file], held };
    });
  return { seen, notes, arrivals };
}

/** How notes from the desk begin. */
const REMARK = /^remark /;
/** How all notes do, those from the team's thread too. */
const IS_NOTE = /^(note|remark) /;
const PICTURE = /^(line \d+) !\[([^\]]+)\]\(\S+\)$/;
const FILE_OF_CHAT = /^(line \d+)\n\n\[([^\]]+)\]\(<http:\S+>\) \(image\/png, 1 kB\)$/;

const nameOf = (names: Names, id: string | null | undefined) => names.get(id ?? '') ?? `stranger ${id}`;

/** Says how what a side shows differs from what it must show; it does. */
export function classed(where: string, shown: readonly Seen[], wanted: readonly Seen[]): Difference {
  const is = (kind: Difference['kind'], what: string): Difference => ({ kind, what: `${where}: ${what}` });
  const said = (seen: readonly Seen[]) => seen.map(({ text }) => text);
  const lost = said(wanted).filter((text) => !said(shown).includes(text));
  if (lost.length > 0) return is('lost', `lost ${lost.join(', ')} ${JSON.stringify({ shown, wanted })}`);
  const doubled = said(shown).filter((text, at, all) => all.indexOf(text) !== at);
  if (doubled.length > 0) return is('doubled', `doubled ${doubled.join(', ')}`);
  const surplus = said(shown).filter((text) => !said(wanted).includes(text));
  if (surplus.length > 0) return is('not deleted', `still there: ${surplus.join(', ')}`);
  if (said(shown).join() !== said(wanted).join())
    return is('out of order', `out of order: ${said(shown).join(', ')}`);
  const wrong = shown.flatMap((one, at) =>
    JSON.stringify(one) === JSON.stringify(wanted[at]) ? [] : [{ shown: one, wanted: wanted[at] }],
  );
  return is('different', `wrong ${JSON.stringify(wrong)}`);
}
