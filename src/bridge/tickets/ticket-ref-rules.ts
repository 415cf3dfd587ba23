import { parsePermalink } from '../slack/ids.ts';

/** A ticket as users name it (B33). */
export type TicketRef =
  | { kind: 'code'; code: string }
  | { kind: 'number'; number: number }
  | { kind: 'id'; id: string }
  | { kind: 'message'; channel: string; ts: string };

/** Parses `IT-42`, `#42` (of the channel's queue), an id, a link that ends in one of them, or a permalink. */
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
