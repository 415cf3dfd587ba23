import type { Answer, Client } from '../../src/client/index.ts';
import { until } from './until.ts';

/** The ticket of the thread that begins with this message of chat, once the bridge has opened it. */
export async function ticketAt(service: Client, ts: string): Promise<Answer<'listTickets'>['items'][number]> {
  return until(
    'the ticket',
    async () => (await service.listTickets({ query: { chatMessageTs: ts } })).items[0],
  );
}
