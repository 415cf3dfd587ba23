import { sql } from 'kysely';

import type { ServiceDb } from '../handler.ts';
import { isOneOf } from '../lists/filters.ts';
import type { Field } from './index/texts.ts';
import { anyOf, oneOf } from './queries.ts';
import { isReadable, type Scope } from './scope.ts';
import type { Term } from './words.ts';

/** A text of a ticket with words of a search. */
export interface MatchingText {
  ticketId: string;
  /** Empty: a text of the ticket itself. */
  messageId: string;
  field: Field;
  lexemes: ReadonlySet<string>;
}

/** Returns the texts of these tickets that have words of a search and that the viewer may read. */
export async function matchingTexts(
  db: ServiceDb,
  terms: readonly Term[],
  scope: Pick<Scope, 'workspaceIds' | 'viewer'>,
  ids: readonly string[],
): Promise<MatchingText[]> {
  if (terms.length === 0) return [];
  const options = terms.flatMap((term) => term.options);
  const lexemes = [...new Set(options.flatMap((option) => option.lexemes))];
  const beginnings = [...new Set(options.flatMap(({ begins }) => begins ?? []))];
  // By their tickets, which "offset 0" makes sure of: by a common word the index finds the texts of all tickets first.
  const { rows } = await sql<{ ticket_id: string; message_id: string; field: Field; lexemes: string[] }>`
    select w.ticket_id, w.message_id, w.field, array(
      select lexeme from unnest(w.words)
      where lexeme = any(${lexemes}::text[]) or lexeme ^@ any(${beginnings}::text[])) as lexemes
    from (
      select * from ticket_word o
      where ${isOneOf('o.workspace_id', scope.workspaceIds)} and o.ticket_id = any(${[...ids]}::text[]) offset 0) w
    where w.words @@ ${oneOf(terms.map(anyOf))}::tsquery and ${isReadable(scope)}`.execute(db);
  return rows.map((row) => ({
    ticketId: row.ticket_id,
    messageId: row.message_id,
    field: row.field,
    lexemes: new Set(row.lexemes),
  }));
}
