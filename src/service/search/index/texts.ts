import { sql } from 'kysely';

import { mapInTurns } from '../../../platform/own-turn.ts';
import { cleanText } from '../../../platform/text/clean.ts';
import { searchedText } from '../../../platform/text/plain-text.ts';
import type { ServiceTx } from '../../handler.ts';
import { fieldTexts } from './field-texts.ts';

/** A searched text: a ticket's own, or one of its messages. */
export interface TextKey {
  workspace_id: string;
  ticket_id: string;
  /** Empty: the ticket's own texts. */
  message_id: string;
}

/** Where a word stands. A note, with what else is the team's alone, is searched only for who may read it. */
export type Field = 'title' | 'text' | 'message' | 'note';

/** A plain text that is to be indexed. */
export interface Text extends TextKey {
  field: Field;
  ticket_at: Date;
  text: string;
  /** Lexemes that are no words of the text: the ticket's references. */
  more?: string[];
}

/** The conditions of a search besides its words. */
export interface SearchedTicket {
  workspace_id: string;
  ticket_id: string;
  created_at: Date;
  listed: boolean;
  private: boolean;
  title: string;
}

interface TicketRow extends SearchedTicket {
  description: string | null;
  people: string[];
  emails: string[];
  reference_lexemes: string[];
  files: string[];
  custom_fields: Record<string, unknown>;
  request_type_id: string | null;
}

/** Returns the lexeme of a ticket's reference; it names the queue, because the prefix may change. */
export function referenceLexeme(queueId: string, number: string | number): string {
  return `#${queueId}-${number}`;
}

/** The people of a ticket `t` by whose names it is found, as a condition of a row `p`; by whose e-mail, the team. */
export const isOnTicket = sql`p.workspace_id = t.workspace_id
  and p.id in (t.requester_id, t.assignee_id, t.author_id)`;

/** Returns the texts of tickets, without their messages, and what else is searched of them. */
export async function textsOfTickets(
  tx: ServiceTx,
  keys: readonly TextKey[],
): Promise<{ tickets: SearchedTicket[]; texts: Text[] }> {
  if (keys.length === 0) return { tickets: [], texts: [] };
  const { rows } = await sql<TicketRow>`
    select t.workspace_id, t.id as ticket_id, t.created_at, t.published and t.archived_at is null as listed, t.private,
      coalesce(t.title, '') as title, t.description, t.custom_fields, t.request_type_id,
      array(select concat_ws(' ', p.first_name, p.last_name) from person p where ${isOnTicket}
        order by p.id) as people,
      array(select p.email from person p where ${isOnTicket} and p.email is not null order by p.id) as emails,
      array(select '#' || r.queue_id || '-' || r.number from ticket_reference r
        where r.workspace_id = t.workspace_id and r.ticket_id = t.id) as reference_lexemes,
      array(select f.name from file f
        where f.workspace_id = t.workspace_id and f.ticket_id = t.id and f.ticket_message_id is null
          and f.attached_at is not null order by f.id) as files
    from unnest(${keys.map((key) => key.workspace_id)}::text[], ${keys.map((key) => key.ticket_id)}::text[])
      asked (workspace_id, ticket_id)
    join ticket t on t.workspace_id = asked.workspace_id and t.id = asked.ticket_id`.execute(tx);
  const fields = await fieldTexts(tx, rows);
  const lengthOf = (row: TicketRow) => row.description?.length ?? 0;
  const texts = await mapInTurns(rows, lengthOf, (row, place): Text[] => {
    const { workspace_id, ticket_id, created_at: ticket_at } = row;
    const own = { workspace_id, ticket_id, message_id: '', ticket_at };
    const values = fields[place] ?? { open: [], private: [] };
    return [
      { ...own, field: 'title', text: cleanText(row.title) },
      {
        ...own,
        field: 'text',
        text: [
          searchedText(row.description ?? ''),
          ...[...row.people, ...values.open, ...row.files].map(cleanText),
        ].join('\n'),
        more: row.reference_lexemes,
      },
      { ...own, field: 'note', text: [...values.private, ...row.emails].map(cleanText).join('\n') },
    ];
  });
  return { tickets: rows, texts: texts.flat() };
}

/** Returns the texts of messages that are not deleted, with the names of their files. */
export async function textsOfMessages(tx: ServiceTx, keys: readonly TextKey[]): Promise<Text[]> {
  if (keys.length === 0) return [];
  const { rows } = await sql<
    TextKey & { ticket_at: Date; content: string; private: boolean; files: string[] }
  >`
    select m.workspace_id, m.ticket_id, m.id as message_id, t.created_at as ticket_at, m.content, m.private,
      array(select f.name from file f
        where f.workspace_id = m.workspace_id and f.ticket_message_id = m.id and f.attached_at is not null
        order by f.id) as files
    from unnest(${keys.map((key) => key.workspace_id)}::text[], ${keys.map((key) => key.ticket_id)}::text[],
      ${keys.map((key) => key.message_id)}::text[]) asked (workspace_id, ticket_id, message_id)
    join ticket_message m on m.workspace_id = asked.workspace_id and m.id = asked.message_id
      and m.ticket_id = asked.ticket_id and m.deleted_at is null
    join ticket t on t.workspace_id = m.workspace_id and t.id = m.ticket_id`.execute(tx);
  return mapInTurns(
    rows,
    ({ content }) => content.length,
    ({ content, private: isPrivate, files, ...row }) => ({
      ...row,
      field: isPrivate ? 'note' : 'message',
      text: [searchedText(content), ...files.map(cleanText)].join('\n'),
    }),
  );
}
