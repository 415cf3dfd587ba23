import type { Agent, QueueSettings } from '../../contract/index.ts';
import type { ServiceDb } from '../handler.ts';
import { requestTypeRecords } from '../request-types/records.ts';
import type { StoredTicket } from '../tickets/find.ts';
import type { TicketData } from '../tickets/update.ts';
import { similarity } from './similarity.ts';
import { stemsOfTexts } from './stems.ts';

/** Points that a request type must share with a ticket: two per word in its name, one per word elsewhere. */
const TYPE_BAR = 3;
const TAGS_AT_MOST = 3;

interface Classified {
  ticket: StoredTicket;
  agent: Agent;
  settings: Pick<QueueSettings, 'autoClassify' | 'autoTag'>;
  text: string;
}

/**
 * Classifies a new ticket by the words it shares with existing records (`autoClassify`, `autoTag`): a request type if
 * it has none, and tags. Creates nothing, chooses nothing in a tie, and nothing leaves the machine.
 */
export async function classifyTicket(
  db: ServiceDb,
  { ticket, agent, settings, text }: Classified,
): Promise<TicketData> {
  const classify = (agent.autoClassify || settings.autoClassify) && ticket.request_type_id === null;
  const tag = agent.autoTag || settings.autoTag;
  const requestTypeId = classify ? await requestTypeFor(db, ticket, agent, text) : undefined;
  const tags = tag ? await tagsFor(db, ticket, text) : [];
  return {
    ...(requestTypeId !== undefined && { requestTypeId }),
    ...(tags.length > 0 && { addTags: tags.map((id) => ({ id })) }),
  };
}

/**
 * Returns the AI agent's request type, else the queue's, that shares the most words, by name, description and
 * `aiExamples`.
 */
async function requestTypeFor(
  db: ServiceDb,
  { workspace_id, queue_id }: StoredTicket,
  agent: Agent,
  text: string,
): Promise<string | undefined> {
  const own = agent.requestTypes.map(({ id }) => id);
  const queues = await db
    .selectFrom('queue_request_type')
    .select('request_type_id')
    .where('workspace_id', '=', workspace_id)
    .where('queue_id', '=', queue_id)
    .execute();
  const ids = own.length > 0 ? own : queues.map(({ request_type_id }) => request_type_id);
  const types = (await requestTypeRecords(db, [workspace_id], ids)).filter(
    // An AI agent cannot fill in required form fields.
    ({ type, customFields }) =>
      type === 'request-type' && !customFields.some((field) => field.required || field.customField.required),
  );
  const [question = [], ...stems] = await stemsOfTexts(db, [
    text,
    ...types.flatMap(({ name, description, aiExamples }) => [
      name,
      [description, aiExamples].filter(Boolean).join('\n'),
    ]),
  ]);
  const [best, second] = types
    .map(({ id }, at) => ({
      id,
      points: similarity(question, { title: stems[2 * at] ?? [], text: stems[2 * at + 1] ?? [] }),
    }))
    .sort((a, b) => b.points - a.points);
  return best && best.points >= TYPE_BAR && best.points > (second?.points ?? 0) ? best.id : undefined;
}

/** Returns the tags of the workspace whose words all occur in the text. */
async function tagsFor(db: ServiceDb, { workspace_id }: StoredTicket, text: string): Promise<string[]> {
  const tags = await db
    .selectFrom('tag')
    .select(['id', 'name'])
    .where('workspace_id', '=', workspace_id)
    .orderBy('name')
    .execute();
  const [said = [], ...stems] = await stemsOfTexts(db, [text, ...tags.map(({ name }) => name)]);
  const words = new Set(said);
  return tags
    .filter((_, at) => {
      const own = stems[at] ?? [];
      return own.length > 0 && own.every((stem) => words.has(stem));
    })
    .slice(0, TAGS_AT_MOST)
    .map(({ id }) => id);
}
