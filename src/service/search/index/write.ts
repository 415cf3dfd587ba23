import { sql } from 'kysely';

import { mapInTurns } from '../../../platform/own-turn.ts';
import type { ServiceTx } from '../../handler.ts';
import { fold } from '../reader.ts';
import { lexemeRows, stemsIn } from './lexemes.ts';
import { type Field, type TextKey, textsOfMessages, textsOfTickets } from './texts.ts';

/** A word that typing errors are corrected to. */
const CORRECTS = { shortest: 3, longest: 30 };

/**
 * Locks the tickets of these texts, as every write to a ticket does: of two transactions that index a ticket, the
 * second one reads what the first one wrote.
 */
export async function lockTexts(tx: ServiceTx, keys: readonly TextKey[]): Promise<void> {
  await sql`
    select from ticket where (workspace_id, id) in (
      select * from unnest(${keys.map((key) => key.workspace_id)}::text[], ${keys.map((key) => key.ticket_id)}::text[]))
    order by workspace_id, id for no key update`.execute(tx);
}

/** Texts read and written at once: each may have a hundred thousand characters. */
const AT_ONCE = 25;

/** Writes the index of these texts again; their tickets are locked. */
export async function indexTexts(tx: ServiceTx, keys: readonly TextKey[]): Promise<void> {
  for (let from = 0; from < keys.length; from += AT_ONCE)
    await indexSome(tx, keys.slice(from, from + AT_ONCE));
}

async function indexSome(tx: ServiceTx, keys: readonly TextKey[]): Promise<void> {
  const column = (name: keyof TextKey) => keys.map((key) => key[name]);
  const { tickets, texts } = await textsOfTickets(
    tx,
    keys.filter((key) => key.message_id === ''),
  );
  texts.push(
    ...(await textsOfMessages(
      tx,
      keys.filter((key) => key.message_id !== ''),
    )),
  );
  const rowsOfEach = await mapInTurns(
    texts,
    ({ text }) => text.length,
    ({ text, more, ...row }) =>
      lexemeRows(text, more).map(({ words, letters }, part) => ({ ...row, part, words, letters })),
  );
  const rows = rowsOfEach.flat();
  const titles = tickets.map(({ workspace_id, ticket_id, created_at, listed, private: isPrivate, title }) => {
    const [lexemes] = lexemeRows(title);
    return {
      workspace_id,
      ticket_id,
      created_at,
      listed,
      private: isPrivate,
      title: sameTitleOf(title),
      others: lexemes?.words.filter((word) => !lexemes.letters.includes(word)) ?? [],
      letters: lexemes?.letters ?? [],
    };
  });
  await sql`
    with gone as (
      delete from ticket_word w
      using unnest(${column('workspace_id')}::text[], ${column('ticket_id')}::text[], ${column('message_id')}::text[])
        asked (workspace_id, ticket_id, message_id)
      where w.workspace_id = asked.workspace_id and w.ticket_id = asked.ticket_id and w.message_id = asked.message_id
      returning 1
    ), searched as (
      insert into ticket_search (workspace_id, ticket_id, created_at, listed, private, title, title_words)
      select workspace_id, ticket_id, created_at, listed, private, title,
        array_to_tsvector(array(select unnest(others) union ${stemsIn('letters')}))
      from search_setting, jsonb_to_recordset(${JSON.stringify(titles)}::jsonb) made (workspace_id text, ticket_id text,
        created_at timestamptz, listed boolean, private boolean, title text, others text[], letters text[])
      on conflict (workspace_id, ticket_id) do update set created_at = excluded.created_at, listed = excluded.listed,
        private = excluded.private, title = excluded.title, title_words = excluded.title_words
    ), learned as (
      insert into search_word (workspace_id, word)
      select workspace_id, word from jsonb_to_recordset(${JSON.stringify(correctWords(rows))}::jsonb)
        read (workspace_id text, word text)
      -- With a limit, each word is looked up in the index: planned as a join, it read all words each time.
      where (select 1 from search_word w
        where w.workspace_id = read.workspace_id and w.word = read.word limit 1) is null
    )
    insert into ticket_word (workspace_id, ticket_id, message_id, field, part, ticket_at, words)
    select workspace_id, ticket_id, message_id, field, part, ticket_at,
      array_to_tsvector(array(select unnest(words) union ${stemsIn('letters')}))
    from search_setting, jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) made (workspace_id text, ticket_id text,
      message_id text, field text, part integer, ticket_at timestamptz, words text[], letters text[])
    -- Reading all of the former rows first, so that they are gone.
    where (select count(*) from gone) >= 0`.execute(tx);
}

/** Returns a title so that two that people take for the same are equal. */
export function sameTitleOf(title: string): string {
  return fold(title).replaceAll(/\s+/g, ' ').trim();
}

/** Returns the words that typing errors are corrected to; none of notes. */
function correctWords(
  rows: readonly { workspace_id: string; field: Field; letters: readonly string[] }[],
): { workspace_id: string; word: string }[] {
  const words = new Map<string, { workspace_id: string; word: string }>();
  for (const { workspace_id, field, letters } of rows)
    for (const word of field === 'note' ? [] : letters)
      if (word.length >= CORRECTS.shortest && word.length <= CORRECTS.longest)
        words.set(`${workspace_id} ${word}`, { workspace_id, word });
  return [...words.values()];
}
