import { setImmediate as letOthersRun } from 'node:timers/promises';

import { sql } from 'kysely';

import type { Snippet } from '../../contract/index.ts';
import { cleanText } from '../../platform/text/clean.ts';
import { plainText } from '../../platform/text/plain-text.ts';
import type { ServiceDb } from '../handler.ts';
import { isOneOf } from '../lists/filters.ts';
import { codeOf } from '../ticket-code.ts';
import type { Found } from './find.ts';
import { stemsOfWords } from './index/lexemes.ts';
import { fieldTexts } from './index/field-texts.ts';
import { isOnTicket } from './index/texts.ts';
import { type Mark, marksIn, oneLine, passageOf } from './passages.ts';
import { fold, readWords } from './reader.ts';
import type { Scope } from './scope.ts';

interface Row {
  workspace_id: string;
  id: string;
  prefix: string;
  number: number;
  title: string;
  description: string;
  names: string[];
  emails: string[];
  files: string[];
  custom_fields: Record<string, unknown>;
  request_type_id: string | null;
  /** The message that has most of the words. */
  message_id: string | null;
  message: string | null;
  note: boolean | null;
  message_files: string[];
}

/** A text of a found ticket, in one line. */
interface Line {
  field: Snippet['field'];
  text: string;
  messageId: string | null;
}

/**
 * Why tickets were found by their words: the title where it holds some, and the passage that holds most, with these
 * words marked. A private note is shown only to those who may read it: it would not be found by others.
 */
export async function snippetsOf(
  db: ServiceDb,
  found: readonly Found[],
  scope: Pick<Scope, 'workspaceIds'>,
): Promise<Map<string, Snippet[]>> {
  const asked = found.filter(({ by, lexemes }) => by === 'words' && lexemes.length > 0);
  if (asked.length === 0) return new Map();
  const { rows } = await sql<Row>`
    select t.workspace_id, t.id, t.number, q.prefix, t.custom_fields, t.request_type_id,
      coalesce(t.title, '') as title, coalesce(t.description, '') as description,
      array(select concat_ws(' ', p.first_name, p.last_name) from person p where ${isOnTicket}) as names,
      array(select p.email from person p where ${isOnTicket} and p.email is not null) as emails,
      array(select f.name from file f
        where f.workspace_id = t.workspace_id and f.ticket_id = t.id and f.ticket_message_id is null
          and f.attached_at is not null order by f.id) as files,
      m.id as message_id, m.content as message, m.private as note,
      array(select f.name from file f
        where f.workspace_id = m.workspace_id and f.ticket_message_id = m.id and f.attached_at is not null
        order by f.id) as message_files
    from unnest(${asked.map(({ id }) => id)}::text[], ${asked.map(bestMessage)}::text[]) asked (id, message_id)
    join ticket t on t.id = asked.id and ${isOneOf('t.workspace_id', scope.workspaceIds)}
    join queue q on q.workspace_id = t.workspace_id and q.id = t.queue_id
    left join ticket_message m on m.workspace_id = t.workspace_id and m.id = asked.message_id
      and m.deleted_at is null`.execute(db);
  const fields = await fieldTexts(db, rows);
  const shown: { hit: Found; code: string; lines: Line[] }[] = [];
  for (const hit of asked) {
    const place = rows.findIndex(({ id }) => id === hit.id);
    const row = rows[place];
    if (!row) continue;
    const { open = [], private: hidden = [] } = fields[place] ?? {};
    // Found by what is private in the ticket itself: the caller may read its private fields and e-mail addresses.
    const isReadable = hit.texts.some(({ messageId, field }) => messageId === '' && field === 'note');
    const values = [
      ...linesFor('field', open),
      ...(isReadable ? [...linesFor('note', hidden), ...linesFor('person', row.emails)] : []),
    ];
    shown.push({ hit, code: codeOf(row.prefix, row.number), lines: [...linesOf(row), ...values] });
    // Each takes a few hundredths of a second if its texts are as long as they may be.
    await letOthersRun();
  }
  const stems = await stemsOfWords(db, likelyWords(shown));
  const snippets = new Map<string, Snippet[]>();
  for (const { hit, code, lines } of shown) {
    snippets.set(hit.id, bestSnippets(code, lines, hit, stems));
    await letOthersRun();
  }
  return snippets;
}

/** Returns the newest of the messages with most of the words, or null. */
function bestMessage({ texts }: Found): string | null {
  const [first] = texts
    .filter(({ messageId }) => messageId !== '')
    .toSorted((a, b) => b.lexemes.size - a.lexemes.size || (a.messageId < b.messageId ? 1 : -1));
  return first?.messageId ?? null;
}

function linesOf(row: Row): Line[] {
  return [
    ...linesFor('title', [row.title]),
    ...linesFor('description', [plainText(row.description)]),
    ...linesFor(row.note ? 'note' : 'message', [plainText(row.message ?? '')], row.message_id),
    ...linesFor('person', row.names),
    ...linesFor('file', row.files),
    ...linesFor(row.note ? 'note' : 'file', row.message_files, row.message_id),
  ];
}

function linesFor(
  field: Line['field'],
  texts: readonly string[],
  messageId: Line['messageId'] = null,
): Line[] {
  return texts.map((text) => ({ field, text: oneLine(cleanText(text)), messageId }));
}

/** Returns the words that may have one of the stems: a word begins as its stem does. */
function likelyWords(shown: readonly { hit: Found; lines: Line[] }[]): Set<string> {
  const likely = new Set<string>();
  for (const { hit, lines } of shown) {
    const beginnings = new Set(hit.lexemes.map((lexeme) => lexeme.slice(0, 2)));
    for (const { text } of lines)
      for (const { parts } of readWords(fold(text)))
        for (const part of parts) if (beginnings.has(part.slice(0, 2))) likely.add(part);
  }
  return likely;
}

/** The title, and the passage with most words; none where the title has all of them. */
function bestSnippets(
  code: string,
  lines: readonly Line[],
  { lexemes, wordCount }: Pick<Found, 'lexemes' | 'wordCount'>,
  stems: ReadonlyMap<string, readonly string[]>,
): Snippet[] {
  if (lexemes.some((lexeme) => lexeme.startsWith('#')))
    return [{ field: 'reference', messageId: null, text: code, marks: [{ from: 0, to: code.length }] }];
  const looked = new Set(lexemes);
  const markedIn = (isWithin: boolean) =>
    lines
      .map((line) => ({ ...line, marks: marksIn(line.text, looked, stems, isWithin) }))
      .filter(({ marks }) => marks.length > 0);
  const whole = markedIn(false);
  const marked = whole.length > 0 ? whole : markedIn(true);
  const title = marked.find(({ field }) => field === 'title');
  const [most] = marked
    .filter(({ field }) => field !== 'title')
    .toSorted((a, b) => wordsIn(b.marks) - wordsIn(a.marks));
  const snippets: Snippet[] = [];
  if (title) {
    const marks = title.marks.map(({ from, to }) => ({ from, to }));
    snippets.push({ field: 'title', messageId: null, text: title.text, marks });
  }
  if (most && !(title && wordsIn(title.marks) >= wordCount))
    snippets.push({
      field: most.field,
      messageId: most.messageId,
      ...passageOf(most.text, most.marks),
    });
  return snippets;
}

/** How many different words are marked. */
function wordsIn(marks: readonly Mark[]): number {
  return new Set(marks.map(({ word }) => word)).size;
}
