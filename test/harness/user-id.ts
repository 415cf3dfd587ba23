import type { Client } from '../../src/client/index.ts';

/** The service's id of a person of the demo by their name there; empty if there is none. */
export async function userIdOf(service: Pick<Client, 'listUsers'>, name: string): Promise<string> {
  const { items } = await service.listUsers({ query: { email: `${name}@acme.example` } });
  return items[0]?.id ?? '';
}
