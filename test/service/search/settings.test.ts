import { describe, expect, it } from 'vitest';

import { ConfigError, readConfig } from '../../../src/start/config.ts';
import { until } from '../../harness/until.ts';
import { startWorld, type World } from '../../harness/world.ts';
import { caller } from '../harness.ts';
import { startVectorServer } from './vector-server.ts';

describe('the settings of search', () => {
  it('name providers one by one, each with its key; anything else ends the start with a sentence', () => {
    const keys = { OPENAI_API_KEY: 'k', VOYAGE_API_KEY: 'k' };
    expect(readConfig({ ...keys, SEARCH_PROVIDERS: ' voyage, openai ,' }).SEARCH_PROVIDERS).toEqual([
      'voyage',
      'openai',
    ]);
    const refusals: [Record<string, string>, string][] = [
      [{ SEARCH_PROVIDERS: 'openai' }, 'OPENAI_API_KEY is missing: SEARCH_PROVIDERS names openai'],
      [{ SEARCH_PROVIDERS: 'google,voyage', ...keys }, 'GOOGLE_API_KEY is missing'],
      [{ SEARCH_PROVIDERS: 'acme' }, 'must be openai, google or voyage'],
      [{ SEARCH_PROVIDER: 'openai', ...keys }, 'did you mean SEARCH_PROVIDERS?'],
      [{ SEARCH_LANGUAGE: "german'" }, 'SEARCH_LANGUAGE must be a text search configuration'],
    ];
    for (const [environment, sentence] of refusals) {
      expect(() => readConfig(environment)).toThrow(ConfigError);
      expect(() => readConfig(environment)).toThrow(sentence);
    }
  });

  it('send nothing to a provider whose key is in the environment but which is not named', async () => {
    const server = await startVectorServer('openai');
    const environment = { OPENAI_API_KEY: 'right', OPENAI_BASE_URL: server.baseUrl };
    const world = await startWorld(environment, ['service']);
    const call = caller(world.urls.api, world.apiKey);
    await call('POST', '/tickets', { body: { title: 'Internal matter' } });
    const { status, body } = await searchFor(world, 'matter', 'openai');
    expect([status, body.issues?.[0]?.path]).toEqual([422, 'provider']);
    expect(body.issues?.[0]?.message).toContain('SEARCH_PROVIDERS');
    expect((await searchFor(world, 'matter')).body.items).toHaveLength(1);
    await world.stop();
    expect(server.asked).toEqual([]);
  });

  it('let a named provider make vectors, and choose the language of words', async () => {
    const server = await startVectorServer('openai');
    const environment = {
      SEARCH_PROVIDERS: 'openai',
      OPENAI_API_KEY: 'right',
      OPENAI_BASE_URL: server.baseUrl,
      SEARCH_LANGUAGE: 'german',
    };
    const world = await startWorld(environment, ['service']);
    const call = caller(world.urls.api, world.apiKey);
    const { id } = (await call('POST', '/tickets', { body: { title: 'Toner der Häuser ist leer' } })).body;
    await until('the ticket has its vector', async () => {
      const { status, body } = await searchFor(world, 'printer', 'openai');
      return status === 200 && body.items[0]?.id === id;
    });
    expect((await searchFor(world, 'Haus')).body.items.map((found) => found.id)).toEqual([id]);
  });
});

async function searchFor(world: World, query: string, provider?: string) {
  const asked = new URLSearchParams({ query, ...(provider !== undefined && { provider }) });
  return caller(world.urls.api, world.apiKey)('GET', `/tickets/semantic-search?${asked.toString()}`);
}
