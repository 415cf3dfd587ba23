import { DEMO } from '../../../src/start/demo.ts';
import type { SeenMessage } from '../../harness/chat.ts';
import type { World } from '../../harness/world.ts';

/** The authors: two people in chat, and an agent who only uses the service. */
export const PEOPLE = ['ada', 'ben'] as const;
export const AGENT = 'mira';
export type Who = (typeof PEOPLE)[number] | typeof AGENT;

/** One message of a conversation, as both sides must have it. */
export interface Line {
  by: Who;
  /** Timestamp in chat or id on the ticket, depending on the author. */
  id: string;
  text: string;
  /** The name of its picture. */
  file?: string;
  deleted: boolean;
  /** Reactions as emoji and name: `tada ada`. */
  held: Set<string>;
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

/**
 * The differences of either side from the expected lines: lost, doubled, out of order, wrong. People and the
 * agent are compared separately, since their relative order is undefined.
 */
export function differences(
  lines: readonly Line[],
  sides: Readonly<Record<'chat' | 'ticket', readonly Seen[]>>,
): string[] {
  const isAgent = (one: { by: string }) => one.by === AGENT;
  const wanted: Seen[] = lines
    .filter(({ deleted }) => !deleted)
    .map(({ by, text, file, held }) => ({ by, text, files: file ? [file] : [], held: [...held].toSorted() }));
  const troubles: string[] = [];
  for (const [side, all] of Object.entries(sides))
    for (const [who, is] of [
      ['people', (one: Seen) => !isAgent(one)],
      ['agent', isAgent],
    ] as const) {
      const [shown, expected] = [all.filter(is), wanted.filter(is)];
      if (JSON.stringify(shown) !== JSON.stringify(expected))
        troubles.push(`${side}, ${who}: ${classed(shown, expected)}`);
    }
  return troubles;
}

/** The conversation in its thread, without cards and notices. */
export function inChat(thread: readonly SeenMessage[], bot: string): Seen[] {
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
        by: isOurs ? (username === 'Mira Lind' ? AGENT : `a post as ${username}`) : nameOf(chatNames, user),
        text,
        files: titles,
        held: reactions
          .flatMap(({ name, users }) => users.map((id) => `${name} ${nameOf(chatNames, id)}`))
          .toSorted(),
      });
  }
  return seen;
}

/** The conversation on its ticket, without internal notes. */
export async function onTicket(service: World['service'], ticketId: string, users: Names): Promise<Seen[]> {
  const { items } = await service.listTicketMessages({ query: { ticketId, limit: 1000 } });
  return items
    .filter(({ deleted, content }) => !deleted && !content.startsWith('note '))
    .map(({ authorId, content, reactions }) => {
      const by = nameOf(users, authorId);
      const [, text = content, file] = (by === AGENT ? PICTURE : FILE_OF_CHAT).exec(content) ?? [];
      const held = reactions.map((one) => `${one.emoji} ${nameOf(users, one.authorId)}`).toSorted();
      return { by, text, files: file === undefined ? [] : [file], held };
    });
}

const PICTURE = /^(line \d+) !\[([^\]]+)\]\(\S+\)$/;
const FILE_OF_CHAT = /^(line \d+)\n\n\[([^\]]+)\]\(<http:\S+>\) \(image\/png, 1 kB\)$/;

const nameOf = (names: Names, id: string | null | undefined) => names.get(id ?? '') ?? `stranger ${id}`;

function classed(shown: readonly Seen[], wanted: readonly Seen[]): string {
  const said = (seen: readonly Seen[]) => seen.map(({ text }) => text);
  const lost = said(wanted).filter((text) => !said(shown).includes(text));
  if (lost.length > 0) return `lost ${lost.join(', ')} ${JSON.stringify({ shown, wanted })}`;
  const doubled = said(shown).filter((text, at, all) => all.indexOf(text) !== at);
  if (doubled.length > 0) return `doubled ${doubled.join(', ')}`;
  const surplus = said(shown).filter((text) => !said(wanted).includes(text));
  if (surplus.length > 0) return `still there: ${surplus.join(', ')}`;
  if (said(shown).join() !== said(wanted).join()) return `out of order: ${said(shown).join(', ')}`;
  const wrong = shown.flatMap((one, at) =>
    JSON.stringify(one) === JSON.stringify(wanted[at]) ? [] : [{ shown: one, wanted: wanted[at] }],
  );
  return `wrong ${JSON.stringify(wrong)}`;
}
