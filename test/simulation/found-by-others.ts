import { QUEUES } from '../drills/harness/secrets.ts';
import type { Conversation } from '../drills/harness/story.ts';
import { type Trouble, troubleOf } from './promises.ts';
import type { World } from './world.ts';

/** Replies in threads, but takes part in no ticket, and is of no team. */
const OTHER = 'ben@acme.example';
/** In the title of every ticket of a story. */
const COMMON_WORD = 'request';

/** The tickets that somebody finds in a search who may not read them. */
export async function foundByOthers(
  service: World['client'],
  conversations: readonly Conversation[],
): Promise<Trouble[]> {
  const [other] = (await service.listUsers({ query: { email: OTHER } })).items;
  const query = { search: COMMON_WORD, visibleToUserId: other?.id ?? '', limit: 1000 };
  const { items } = await service.listTickets({ query });
  return conversations
    .filter(({ audience }) => audience.isPrivate || QUEUES[audience.queue] !== 'workspace')
    .filter(({ ticketId }) => items.some(({ id }) => id === ticketId))
    .map(({ ticketId }) => troubleOf('leaked', `${OTHER} finds ${ticketId}, and may not read it`));
}
