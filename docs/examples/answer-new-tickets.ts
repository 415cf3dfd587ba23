// Answers every new ticket once, from those of the last minute on: node answer-new-tickets.ts
import { setTimeout as wait } from 'node:timers/promises';

import { type Client, createClient, ServiceError } from 'deskbridge/client';

const { SERVICE_URL = 'http://127.0.0.1:8080/api', SERVICE_API_TOKEN = '' } = process.env;
const GREETING = 'Thank you! Somebody of the team will look at this soon.';
const LOOK_EVERY_MS = 2_000;
/** Looks overlap by this much: a ticket is seen twice rather than not at all. */
const OVERLAP_MS = 60_000;

const service = createClient({
  baseUrl: SERVICE_URL,
  token: SERVICE_API_TOKEN,
  now: () => new Date(),
  random: Math.random,
});

for (let from = new Date(Date.now() - OVERLAP_MS); ;) {
  const began = Date.now();
  try {
    const query = { createdFrom: from.toISOString(), private: false };
    for await (const { id, code } of service.all('listTickets', { query })) await greet(service, id, code);
    from = new Date(Math.max(from.getTime(), began - OVERLAP_MS));
  } catch (error) {
    // The service is away, or busy: what was missed is asked for again.
    if (!(error instanceof ServiceError) || error.next === 'give-up') throw error;
    console.error(error.message);
  }
  await wait(LOOK_EVERY_MS);
}

/** Looks before it writes: an answer that was lost on its way, or a program that was stopped, doubles nothing. */
async function greet({ listTicketMessages, createTicketMessage }: Client, ticketId: string, code: string) {
  const { items } = await listTicketMessages({ query: { ticketId } });
  if (items.some(({ content }) => content === GREETING)) return;
  await createTicketMessage({ body: { ticketId, content: GREETING } });
  console.log(`${code} answered`);
}
