import type { Answer, Client } from '../../src/client/index.ts';
import { until } from './until.ts';

/** The types of threads with a copy of a ticket's card. */
const CARD_THREADS = ['TRIAGE', 'PERSONAL_DM'];

/** The ticket of the thread that starts with this message, once the bridge has opened it. */
export async function ticketAt(service: Client, ts: string): Promise<Answer<'listTickets'>['items'][number]> {
  return until('the ticket', async () => {
    const { items } = await service.listTickets({ query: { chatMessageTs: ts } });
    // In another channel a card may have been posted at the same moment.
    return items.find(({ chatThreads }) =>
      chatThreads.some(({ messageTs, type }) => messageTs === ts && !CARD_THREADS.includes(type ?? '')),
    );
  });
}

/** The number of tickets whose title contains these words literally: a search also corrects spelling. */
export async function countTitled(service: Client, words: string): Promise<number> {
  const { items } = await service.listTickets({ query: { limit: 1000 } });
  return items.filter(({ title }) => title?.toLowerCase().includes(words.toLowerCase())).length;
}
