import { sql } from 'kysely';
import { z } from 'zod';

import { LIMITS, type KnowledgeBase, type KnowledgeBaseDocument } from '../../../contract/index.ts';
import { contentStems } from '../../search/index/documents.ts';
import { oneOf, quotedTerm } from '../../search/queries.ts';
import { data, quote, quoteOrNull } from '../data.ts';
import { ASSIST_LIMITS } from '../limits.ts';
import { notFound } from '../../problem.ts';
import { type Reading, readingTool } from '../tool.ts';
import { recordId } from './ticket-summary.ts';

/** Words of a question that are looked for, and knowledge bases that are searched. */
const WORDS = 40;
const BASES = 1_000;

const document = z.strictObject({
  uri: z.string().describe('As a resource: document://…'),
  title: data,
  url: data.nullable().describe('Where it came from.'),
  text: data,
  updatedAt: z.string(),
});

export const searchDocuments = readingTool({
  name: 'search_documents',
  title: 'Search documents',
  description:
    'Finds documents of the knowledge bases by words, best first. Answer requesters from these, and name the document.',
  input: z.object({
    query: z.string().min(1).max(LIMITS.shortText),
    limit: z.int().min(1).max(ASSIST_LIMITS.documents).default(3),
  }),
  output: z.strictObject({ documents: z.array(document) }),
  async answer(run, { query, limit }) {
    const bases = await readableBases(run);
    const [stems = []] = await contentStems(run.db, [query]);
    if (bases.length === 0 || stems.length === 0) return { documents: [] };
    const anyWord = oneOf([...new Set(stems)].slice(0, WORDS).map(quotedTerm));
    const { rows } = await sql<{ base: string; id: string }>`
      select d.knowledge_base_id as base, d.id from knowledge_base_document d
      where d.workspace_id = ${run.caller.workspaceId}
        and d.knowledge_base_id = any(${bases.map(({ id }) => id)}::text[]) and d.words @@ ${anyWord}::tsquery
      order by ts_rank('{0.1, 0.2, 0.4, 1.0}'::real[], d.words, ${anyWord}::tsquery, 1) desc, d.id
      limit ${limit}`.execute(run.db);
    const documents: z.output<typeof document>[] = [];
    for (const { base, id } of rows)
      documents.push(
        documentOf(
          await run.read('readKnowledgeBaseDocument', { params: { id: base, documentId: id } }),
          ASSIST_LIMITS.document,
        ),
      );
    return { documents };
  },
});

/** Behind the resources `document://…`; search_documents answers passages of the same. */
export const readDocument = readingTool({
  name: 'read_document',
  title: 'Read a document',
  description: 'Reads a document of a knowledge base.',
  input: z.object({ baseId: recordId, documentId: recordId }),
  output: document,
  async answer(run, { baseId, documentId }) {
    const bases = await readableBases(run);
    if (!bases.some(({ id }) => id === baseId)) throw notFound();
    const record = await run.read('readKnowledgeBaseDocument', { params: { id: baseId, documentId } });
    return documentOf(record, ASSIST_LIMITS.resource);
  },
});

/** Returns the knowledge bases that the caller reads, without those that are only of queues out of reach. */
async function readableBases({ read, caller }: Reading): Promise<KnowledgeBase[]> {
  const { items } = await read('listKnowledgeBases', { query: { limit: BASES } });
  const { reach } = caller;
  return items.filter(
    ({ global, queues }) =>
      global ||
      queues.length === 0 ||
      queues.some(({ id }) => reach === undefined || reach.queueIds.includes(id)),
  );
}

function documentOf(
  { id, kbId, title, url, content, updatedAt }: KnowledgeBaseDocument,
  most: number,
): z.output<typeof document> {
  return {
    uri: `document://${kbId}/${id}`,
    title: quote(title, ASSIST_LIMITS.name),
    url: quoteOrNull(url, LIMITS.url),
    text: quote(content, most),
    updatedAt,
  };
}
