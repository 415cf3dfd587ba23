import { parsePermalink } from '../links/ids.ts';

/** What somebody typed behind the slash command, understood (B32). */
export type Command =
  | { do: 'help' }
  | { do: 'new'; title: string }
  | { do: 'search'; words: string }
  | { do: 'show'; ref: string }
  | { do: 'status'; ref: string; status: string }
  | { do: 'link-me' }
  | { do: 'notify'; level: string }
  /** Something is missing: what, and how it is typed (B36). */
  | { do: 'incomplete'; missing: string; usage: string }
  | { do: 'unknown'; word: string };

/** How each command is typed, and what it does; the help text and every refusal come from here. */
export const USAGE = {
  new: { form: 'new <title>', does: 'open a ticket' },
  search: { form: 'search <words>', does: 'find tickets' },
  show: { form: 'show <ref>', does: 'show one ticket, for example `show IT-42`' },
  status: { form: 'status <ref> <status>', does: 'set its status, for example `status IT-42 done`' },
  linkMe: { form: 'link-me', does: 'speak on tickets as another user of the help desk' },
  notify: { form: 'notify', does: 'choose what I tell you by direct message' },
  help: { form: 'help', does: 'this list' },
} as const;

export function parseCommand(text: string): Command {
  const [, word = '', rest = ''] = /^(\S*)\s*(.*)$/s.exec(text.trim()) ?? [];
  switch (word.toLowerCase()) {
    case '':
    case 'help':
      return { do: 'help' };
    case 'new':
      return rest
        ? { do: 'new', title: rest }
        : { do: 'incomplete', missing: 'what the ticket is about', usage: USAGE.new.form };
    case 'search':
    case 'find':
      return rest
        ? { do: 'search', words: rest }
        : { do: 'incomplete', missing: 'the words to look for', usage: USAGE.search.form };
    case 'show':
      return rest
        ? { do: 'show', ref: rest }
        : { do: 'incomplete', missing: 'which ticket', usage: USAGE.show.form };
    case 'notify':
      return { do: 'notify', level: rest };
    case 'link-me':
      return { do: 'link-me' };
    case 'status': {
      const [, ref = '', status = ''] = /^(\S+)\s*(.*)$/s.exec(rest) ?? [];
      if (!ref)
        return { do: 'incomplete', missing: 'which ticket, and the new status', usage: USAGE.status.form };
      if (!status) return { do: 'incomplete', missing: `the new status of ${ref}`, usage: USAGE.status.form };
      return { do: 'status', ref, status };
    }
    default:
      return { do: 'unknown', word };
  }
}

/** A ticket as people name it (B33). */
export type TicketRef =
  | { kind: 'code'; code: string }
  | { kind: 'number'; number: number }
  | { kind: 'id'; id: string }
  | { kind: 'message'; channel: string; ts: string };

/** `IT-42`, `#42` (of the channel's queue), an id, a link that ends in one of them, or a link to a message of chat. */
export function parseRef(typed: string): TicketRef | undefined {
  const bare = typed.trim().replace(/^<(.*?)(\|.*)?>$/, '$1');
  const url = /^https?:\/\//i.test(bare) ? URL.parse(bare) : null;
  const message = url && parsePermalink(url);
  if (message) return { kind: 'message', ...message };
  const last = url ? (url.pathname.split('/').filter(Boolean).at(-1) ?? '') : bare;
  if (/^#\d{1,9}$/.test(last)) return { kind: 'number', number: Number(last.slice(1)) };
  if (/^[a-z][a-z0-9]{0,9}-\d{1,9}$/i.test(last)) return { kind: 'code', code: last.toUpperCase() };
  if (/^[\w-]{6,64}$/.test(last)) return { kind: 'id', id: last };
  return undefined;
}

export type NameMatch<Named> = { found: Named } | { candidates: Named[] } | undefined;

/** The record that a typed name means: equal ignoring case, blanks and hyphens, else the only one it begins (B33). */
export function matchName<Named extends { label: string }>(
  typed: string,
  records: readonly Named[],
): NameMatch<Named> {
  const key = plain(typed);
  if (!key) return undefined;
  const equal = records.find((record) => plain(record.label) === key);
  if (equal) return { found: equal };
  const candidates = records.filter((record) => plain(record.label).startsWith(key));
  const inWord =
    candidates.length > 0
      ? candidates
      : records.filter((record) =>
          record.label
            .toLowerCase()
            .split(/\s+/)
            .some((word) => word.startsWith(key)),
        );
  const [only] = inWord;
  if (only && inWord.length === 1) return { found: only };
  return inWord.length > 0 ? { candidates: inWord } : undefined;
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_-]+/g, '');
}
