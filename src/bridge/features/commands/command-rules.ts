import { type CommandName, COMMAND_NAMES, commandNamed, describedAs } from './table-rules.ts';
import { parseRef, type TicketRef } from '../../tickets/ticket-ref-rules.ts';

/** A parsed slash command (B32). */
export type Command =
  /** `ref` is absent if it was omitted; `words` is empty if there are none. */
  | { do: CommandName; ref?: string; words: string }
  /** Something is missing (B36). */
  | { do: 'incomplete'; of: CommandName; missing: string }
  /** An unknown name, with similar ones. */
  | { do: 'unknown'; word: string; meant: readonly CommandName[] };

export function parseCommand(text: string): Command {
  const [word, rest] = firstWord(text);
  if (word === '') return { do: 'help', words: '' };
  const name = commandNamed(word);
  if (name === undefined) {
    const typed = word.toLowerCase();
    const meant = COMMAND_NAMES.filter((one) => one.startsWith(typed) || typed.startsWith(one));
    return { do: 'unknown', word, meant };
  }
  // `mine` is short for `list mine`.
  if (name === 'list' && word.toLowerCase().startsWith('m')) return { do: 'list', words: 'mine' };
  return argumentsOf(name, rest);
}

function argumentsOf(name: CommandName, rest: string): Command {
  const { takes, needs = '' } = describedAs(name);
  switch (takes) {
    case 'nothing':
    case 'perhaps words':
      return { do: name, words: rest };
    case 'words':
      return rest ? { do: name, words: rest } : { do: 'incomplete', of: name, missing: needs };
    case 'ticket':
      return rest ? { do: name, ref: rest, words: '' } : { do: name, words: '' };
    case 'ticket and words': {
      const [first, more] = firstWord(rest);
      const isRef = isSurelyRef(parseRef(first));
      const words = isRef ? more : rest;
      if (!words) return { do: 'incomplete', of: name, missing: isRef ? `${needs} of ${first}` : needs };
      return isRef ? { do: name, ref: first, words } : { do: name, words };
    }
  }
}

/** A bare word may be an id: before other words only if it has letters and digits. */
function isSurelyRef(ref: TicketRef | undefined): boolean {
  return ref !== undefined && (ref.kind !== 'id' || (/\d/.test(ref.id) && /[a-z]/i.test(ref.id)));
}

function firstWord(text: string): [word: string, rest: string] {
  const [, word = '', rest = ''] = /^(\S*)\s*(.*)$/s.exec(text.trim()) ?? [];
  return [word, rest];
}
