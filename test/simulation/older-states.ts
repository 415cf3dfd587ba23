import type { Chat } from '../harness/chat.ts';
import { logOf } from '../harness/history-of.ts';
import { rowsOf } from './rows.ts';
import type { Databases } from './world.ts';

/** What people write counts up: a later edit has a higher number. */
const NUMBER = /\bline (\d+)\b/;

/** A message as it stood at some time. */
interface State {
  /** What it is a state of. */
  of: string;
  text: string;
}

/** Where, on either side, an older text of a message stood after a newer one, also if that was mended since. */
export async function olderStates(chat: Chat, { service }: Databases): Promise<string[]> {
  const inChat = (await logOf(chat))
    .filter(({ kind, method, ok }) => kind === 'api_call' && method === 'chat.update' && ok)
    .map(({ args }) => ({ of: `${args?.channel} ${args?.ts} in chat`, text: args?.text ?? '' }));
  // By the transactions that wrote them, of which there is one at a time: their times are those of a clock that jumps,
  // and a row may take the place of one that was never committed.
  const onTickets = await rowsOf<State>(
    service,
    `select body::json -> 'data' ->> 'id' || ' on its ticket' as of, coalesce(body::json -> 'data' ->> 'content', '') as text
     from service.event where type = 'Message' order by xmin::text::bigint, ctid`,
  );
  return [...goneBack(inChat), ...goneBack(onTickets)];
}

/** What had a higher number before; in the order in which the states came. */
export function goneBack(states: readonly State[]): string[] {
  const highest = new Map<string, number>();
  const found: string[] = [];
  for (const { of, text } of states) {
    const number = Number(NUMBER.exec(text)?.[1]);
    if (Number.isNaN(number)) continue;
    const before = highest.get(of) ?? 0;
    if (number < before) found.push(`${of} was line ${before}, and line ${number} after that`);
    highest.set(of, Math.max(before, number));
  }
  return found;
}
