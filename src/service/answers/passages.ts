import { sql } from 'kysely';

import { type Agent, LIMITS } from '../../contract/index.ts';
import { NOBODY } from '../access/viewer.ts';
import type { ServiceDb } from '../handler.ts';
import { findTickets, type Meaning } from '../search/find.ts';
import { oneOf, quotedTerm } from '../search/queries.ts';
import type { StoredTicket } from '../tickets/find.ts';
import { codeOf } from '../ticket-code.ts';
import { similarityThreshold, similarity, type Stems } from './similarity.ts';
import { passagesIn } from './paragraphs.ts';
import type { Passage } from './provider.ts';
import { stemsOfTexts } from './stems.ts';

/** Limits: words of a question for the lookup, documents and tickets considered, passages returned. */
const BOUNDS = { words: 40, documents: 10, tickets: 30, passages: 5 } as const;

interface Found {
  kind: Passage['kind'];
  title: string;
  url: string | null;
  text: string;
  /** The text that is compared with the question; a ticket is compared by its question, and quoted by its solution. */
  about: { title: string; text: string };
  /** The search would show it to a person, also where it shares no word with the question. */
  isFound?: boolean;
}

export interface PassageQuery {
  agent: Pick<Agent, 'id'>;
  ticket: Pick<StoredTicket, 'workspace_id' | 'id' | 'queue_id'>;
  /** The requester's messages since the last answer. */
  text: string;
  /** The public URL of this service, for links to tickets. */
  publicUrl: string;
  /** How a search here finds by meaning; undefined where it does not. */
  meaning: Meaning | undefined;
}

/**
 * Returns knowledge relevant to a question, best first: passages of the AI agent's knowledge bases, the queue's and the
 * global ones, and solutions of public tickets of the same queue. Never uses private content.
 */
export async function findPassages(db: ServiceDb, looked: PassageQuery): Promise<Passage[]> {
  const [question = []] = await stemsOfTexts(db, [looked.text]);
  if (question.length === 0) return [];
  const found = [...(await documents(db, looked, question)), ...(await solvedTickets(db, looked))];
  const stems = await stemsOfTexts(
    db,
    found.flatMap(({ about }) => [about.title, about.text]),
  );
  const bar = similarityThreshold(question);
  return found
    .map(({ kind, title, url, text, isFound }, at) => {
      const points = similarity(question, { title: stems[2 * at] ?? [], text: stems[2 * at + 1] ?? [] });
      return { kind, title, url, text, points, isLikely: points >= bar, isFound };
    })
    .filter(({ points, isFound }) => points > 0 || isFound)
    .sort((a, b) => b.points - a.points)
    .slice(0, BOUNDS.passages)
    .map(({ isFound: _, ...passage }): Passage => passage);
}

async function documents(db: ServiceDb, { agent, ticket }: PassageQuery, question: Stems): Promise<Found[]> {
  const anyWord = oneOf(question.slice(0, BOUNDS.words).map(quotedTerm));
  const { rows } = await sql<{ title: string; content: string; url: string | null }>`
    select d.title, d.content, d.url from knowledge_base_document d
    join knowledge_base k on k.workspace_id = d.workspace_id and k.id = d.knowledge_base_id
    where d.workspace_id = ${ticket.workspace_id} and d.words @@ ${anyWord}::tsquery
      and (k.global
        or exists (select 1 from ai_agent_knowledge_base x where x.workspace_id = k.workspace_id
          and x.knowledge_base_id = k.id and x.ai_agent_id = ${agent.id})
        or exists (select 1 from queue_knowledge_base x where x.workspace_id = k.workspace_id
          and x.knowledge_base_id = k.id and x.queue_id = ${ticket.queue_id}))
    order by ts_rank('{0.1, 0.2, 0.4, 1.0}'::real[], d.words, ${anyWord}::tsquery, 1) desc, d.id
    limit ${BOUNDS.documents}`.execute(db);
  return rows.flatMap(({ title, content, url }) =>
    passagesIn(content).map((text): Found => ({
      kind: 'document',
      title,
      url,
      text,
      about: { title, text },
    })),
  );
}

/** The solution is the last public message of an agent: not the requester's thanks, and not an AI agent's own. */
async function solvedTickets(
  db: ServiceDb,
  { ticket, text, publicUrl, meaning }: PassageQuery,
): Promise<Found[]> {
  // Without a viewer: private tickets are not found, nor any by an internal note.
  const filter = sql`t.queue_id = ${ticket.queue_id}`;
  const scope = { workspaceIds: [ticket.workspace_id], exclude: ticket.id, viewer: NOBODY, filter };
  const found = await findTickets(db, meaning, text.slice(0, LIMITS.shortText), scope, {
    limit: BOUNDS.tickets,
    isForPeople: false,
  });
  const ids = found.map(({ id }) => id);
  if (ids.length === 0) return [];
  const { rows } = await sql<{
    id: string;
    number: number;
    prefix: string;
    title: string | null;
    description: string | null;
    helped: string;
  }>`
    select t.id, t.number, q.prefix, t.title, t.description, m.content as helped
    from ticket t
    join queue q on q.workspace_id = t.workspace_id and q.id = t.queue_id
    join status s on s.workspace_id = t.workspace_id and s.id = t.status_id
    join status_group g on g.workspace_id = s.workspace_id and g.id = s.status_group_id
    cross join lateral (
      select content from ticket_message
      where workspace_id = t.workspace_id and ticket_id = t.id and not private and deleted_at is null
        and source <> 'AGENT' and author_id is not null and author_id is distinct from t.requester_id
      order by created_at desc limit 1) m
    where t.workspace_id = ${ticket.workspace_id} and t.id = any(${ids}::text[]) and t.queue_id = ${ticket.queue_id}
      and not t.private and t.merged_into_id is null and g.kind in ('RESOLVED', 'CLOSED')`.execute(db);
  return rows.map((row): Found => {
    const code = codeOf(row.prefix, row.number);
    const about = { title: row.title ?? '', text: row.description ?? '' };
    const url = `${publicUrl}/tickets/${encodeURIComponent(code)}`;
    const isFound = found.some(({ id, isGood }) => id === row.id && isGood);
    return { kind: 'ticket', title: `${code} ${about.title}`.trim(), url, text: row.helped, about, isFound };
  });
}
