import pg from 'pg';

import { textInTables } from '../harness/text-in-tables.ts';
import { until } from '../harness/until.ts';
import { type Trouble, troubleOf } from './promises.ts';
import type { World } from './world.ts';

const CHANNEL = 'it-help';
/** A message whose event was lost is found by a comparison. */
const FOUND_WITHIN_MS = 300_000;

/**
 * Somebody new asks for help, is answered, and is erased.
 * @param number of the person: nobody else has that name.
 * @returns what finds where service and bridge still have their name or address.
 */
export async function eraseRequester(
  { chat, client: service, databases }: Pick<World, 'chat' | 'client' | 'databases'>,
  number: number,
): Promise<() => Promise<Trouble[]>> {
  const lastName = `Quillfeather${number}X`;
  const user = `quentin${number}`;
  const names = { name: user, firstName: 'Quentin', lastName, displayName: user };
  await chat.post('add-person', { ...names, email: `${lastName.toLowerCase()}@acme.example` });
  await chat.post('join', { channel: CHANNEL, user });
  const { bot, channels } = await chat.state();
  const { ts } = await chat.say(CHANNEL, user, `<@${bot}> my keyboard smokes, number ${number}`);
  const query = { chatMessageTs: ts, chatChannelId: channels[CHANNEL] ?? '' };
  const ticket = await until(
    `the ticket of ${user}`,
    async () => (await service.listTickets({ query })).items[0],
    { withinMs: FOUND_WITHIN_MS },
  );
  await service.createTicketMessage({ body: { ticketId: ticket.id, content: `an answer to ${number}` } });
  await service.eraseUser({ params: { id: ticket.requesterId ?? '' } });
  return async () => {
    const found: string[] = [];
    for (const schema of ['service', 'bridge'] as const) {
      const client = new pg.Client({ connectionString: databases[schema].url });
      await client.connect();
      try {
        found.push(...(await textInTables(client, [schema], [lastName, user])));
      } finally {
        await client.end();
      }
    }
    return found.map((place) => troubleOf('not erased', `${user} is still in ${place}`));
  };
}
