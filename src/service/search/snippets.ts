import { sql } from 'kysely';

import type { Snippet } from '../../contract/index.ts';
import type { ServiceDb } from '../handler.ts';
import { isOneOf } from '../lists/filters.ts';
import { codeOf } from '../tickets/records.ts';
import type { Found } from './find.ts';
import { oneOf, quoted } from './queries.ts';
import { readsNotes, type Scope } from './scope.ts';

/** Markers around each matched word; they are removed from the texts first. */
const [START, STOP] = ['\u0002', '\u0003'];
const MARKS = `StartSel=${START}, StopSel=${STOP}`;
/** A line or two of a text, around the words. */
const PASSAGE = `${MARKS}, MaxFragments=1, MaxWords=22, MinWords=10`;
const WHOLE = `${MARKS}, HighlightAll=true`;
/** Characters of a text, and newest messages of a ticket, that are looked through. */
const CHARACTERS = 20_000;
const MESSAGES = 50;

interface Row {
  id: string;
  prefix: string;
  number: number;
  title: string;
  description: string;
  names: string;
  message: string | null;
  note: boolean | null;
}

/**
 * Why tickets were found by their words: the title where it holds some, and the passage that holds most, with these
 * words marked. A private note is shown only to those who may read it.
 */
export async function snippetsOf(
  db: ServiceDb,
  found: readonly Found[],
  scope: Scope,
): Promise<Map<string, Snippet[]>> {
  const asked = found
    .filter(({ by, lexemes }) => by === 'words' && lexemes.length > 0)
    .map(({ id, lexemes }) => ({
      id,
      one_of: oneOf(lexemes.map(quoted)),
      all_of: lexemes.map(quoted).join(' & '),
    }));
  if (asked.length === 0) return new Map();
  const notes = readsNotes(scope);
  const plain = (text: string) => sql`translate(left(${sql.ref(text)}, ${CHARACTERS}), ${START + STOP}, '')`;
  const { rows } = await sql<Row>`
    with setting as (select language::regconfig as words from search_setting),
    asked as (
      select id, one_of::tsquery, all_of::tsquery
      from jsonb_to_recordset(${JSON.stringify(asked)}::jsonb) as a (id text, one_of text, all_of text)
    ), found as (
      select s.workspace_id, s.ticket_id, t.number, q.prefix, words, one_of, all_of, coalesce(${plain('t.title')}, '') as title,
        coalesce(${plain('t.description')}, '') as description, ${notes ?? sql`false`} as reads_notes, (
          select coalesce(string_agg(concat_ws(' ', first_name, last_name), ${'\n'}), '') from person p
          where p.workspace_id = t.workspace_id and p.id in (t.requester_id, t.assignee_id, t.author_id)
        ) as names
      from asked join ticket_search s on s.ticket_id = asked.id
        join ticket t on t.workspace_id = s.workspace_id and t.id = s.ticket_id
        join queue q on q.workspace_id = t.workspace_id and q.id = t.queue_id, setting
      where ${isOneOf('s.workspace_id', scope.workspaceIds)}
    )
    select ticket_id as id, number, prefix, ts_headline(words, title, one_of, ${WHOLE}) as title,
      ts_headline(words, description, one_of, ${PASSAGE}) as description,
      ts_headline(words, translate(names, ${START + STOP}, ''), one_of, ${WHOLE}) as names,
      ts_headline(words, message.content, one_of, ${PASSAGE}) as message, message.private as note
    from found left join lateral (
      -- Only where a word stands in neither of the others: each message is taken apart for it.
      select ${plain('x.content')} as content, x.private from (
        select m.content, m.private, m.created_at from ticket_message m
        where m.workspace_id = found.workspace_id and m.ticket_id = found.ticket_id and m.deleted_at is null
          and (reads_notes or not m.private)
          and not to_tsvector(words, concat_ws(' ', title, description, names)) @@ all_of
        order by m.created_at desc limit ${MESSAGES}) x
      where to_tsvector(words, left(x.content, ${CHARACTERS})) @@ one_of
      order by x.private, x.created_at desc limit 1
    ) message on true`.execute(db);
  return new Map(rows.map((row) => [row.id, best(row, lexemesOf(found, row.id))]));
}

function lexemesOf(found: readonly Found[], id: string): readonly string[] {
  return found.find((each) => each.id === id)?.lexemes ?? [];
}

/** The title, and the passage with most words; none where the title has all of them. */
function best(row: Row, lexemes: readonly string[]): Snippet[] {
  const code = codeOf(row.prefix, row.number);
  if (lexemes.includes(code.toLowerCase()))
    return [{ field: 'reference', text: code, marks: [{ from: 0, to: code.length }] }];
  const title = marked('title', row.title);
  const passages = [
    marked('description', row.description),
    marked(row.note ? 'note' : 'message', row.message ?? ''),
    ...row.names.split('\n').map((name) => marked('person', name)),
  ].filter((each) => each.marks.length > 0);
  const [most] = passages.toSorted((a, b) => wordsIn(b) - wordsIn(a));
  const isTitle = title.marks.length > 0;
  if (isTitle && (!most || wordsIn(title) >= lexemes.length)) return [title];
  return [...(isTitle ? [title] : []), ...(most ? [most] : [])];
}

/** How many different words are marked. */
function wordsIn({ text, marks }: Snippet): number {
  return new Set(marks.map(({ from, to }) => text.slice(from, to).toLowerCase())).size;
}

/** Returns a text in one line, without markers and Markdown syntax. */
function marked(field: Snippet['field'], headline: string): Snippet {
  const line = headline
    .replaceAll(/[*_~]{2,}|`+|(?<![^\s\u0002])(?:#{1,6}|>+|[-*+])(?=\s)/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const marks: Snippet['marks'] = [];
  let text = '';
  for (const [index, part] of line.split(START).entries()) {
    const end = part.indexOf(STOP);
    if (index > 0 && end > 0) marks.push({ from: text.length, to: text.length + end });
    text += part.replace(STOP, '');
  }
  return { field, text, marks };
}
