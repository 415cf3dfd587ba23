import { describe, expect, it } from 'vitest';

import { type SearchProvider, searchProvider } from '../../../src/contract/index.ts';
import { lengthOf, toBytes, fromBytes } from '../../../src/service/search/vectors/bytes.ts';
import { until } from '../../harness/until.ts';
import { type Running, serviceDatabase, startTestService } from '../harness.ts';
import { startVectorServer } from './vector-server.ts';
import { workNow } from '../work.ts';
import { anotherWorkspace, openTables } from '../world.ts';

async function find({ call }: Running, query: Record<string, string>, token?: string) {
  const path = `/tickets/semantic-search?${new URLSearchParams(query).toString()}`;
  const { status, body } = await call('GET', path, token === undefined ? {} : { token });
  return { status, body, ids: status === 200 ? body.items.map(({ id }) => id) : [] };
}

async function makeTicket({ call }: Running, title: string, more: object = {}): Promise<string> {
  const { status, body } = await call('POST', '/tickets', { body: { title, ...more } });
  expect([status, body.code]).toEqual([200, expect.any(String)]);
  return body.id;
}

/**
 * Waits until every written ticket has its vector; works at once instead of waiting for the next look.
 */
async function settled(running: Running): Promise<void> {
  const tables = openTables(running);
  await until('it is done', async () => {
    await workNow(tables, 'embedding');
    const due = await tables.db.selectFrom('embedding_due').select('ticket_id').execute();
    return due.length === 0;
  });
}

async function startWith(provider: SearchProvider, apiKey = 'right', renewMs = 0) {
  const server = await startVectorServer(provider);
  const databaseUrl = await serviceDatabase();
  const running = await startTestService({
    databaseUrl,
    search: { [provider]: { apiKey, baseUrl: server.baseUrl }, renewMs },
  });
  return { running, server };
}

describe.each(searchProvider.options)('search by the vectors of %s', (provider) => {
  it('finds by meaning, follows edits, and requests the vector of the same words once', async () => {
    const { running, server } = await startWith(provider);
    const toner = await makeTicket(running, 'No toner', { description: 'and no paper' });
    const vpn = await makeTicket(running, 'VPN is down');
    await settled(running);
    expect((await find(running, { query: 'printer', provider, limit: '1' })).ids).toEqual([toner]);
    expect((await find(running, { query: 'internet', provider })).ids).toEqual([vpn]);
    const before = server.asked.length;
    await find(running, { query: 'internet', provider, excludeTicketId: vpn });
    expect(server.asked.length).toBe(before);
    expect(server.asked.at(-1)).toMatchObject({ key: 'right', texts: ['internet'] });
    await running.call('PUT', `/tickets/${toner}`, {
      body: { data: { title: 'No payslip', description: 'none' } },
    });
    await settled(running);
    expect((await find(running, { query: 'wages', provider, limit: '1' })).ids).toEqual([toner]);
    const { db } = openTables(running);
    const [row] = await db.selectFrom('ticket_embedding').selectAll().where('ticket_id', '=', vpn).execute();
    expect([row?.provider, row?.vector.length]).toEqual([provider, 256]);
  });
});

describe('vectors', () => {
  it('use each protocol as documented, with different requests for documents and queries', async () => {
    const expected = {
      openai: { path: '/v1/embeddings', document: undefined, query: undefined },
      google: {
        path: '/v1/models/gemini-embedding-001:batchEmbedContents',
        document: 'RETRIEVAL_DOCUMENT',
        query: 'RETRIEVAL_QUERY',
      },
      voyage: { path: '/v1/embeddings', document: 'document', query: 'query' },
    };
    for (const provider of searchProvider.options) {
      const { running, server } = await startWith(provider);
      await makeTicket(running, 'printer');
      await settled(running);
      await find(running, { query: 'toner', provider });
      const { path, document, query } = expected[provider];
      expect(server.asked).toEqual([
        { path, key: 'right', texts: ['printer'], purpose: document },
        { path, key: 'right', texts: ['toner'], purpose: query },
      ]);
      await running.stop();
    }
  });

  it('are requested in batches, and not again for a text that has one', async () => {
    const { running, server } = await startWith('openai');
    const ids = await Promise.all(Array.from({ length: 30 }, (_, n) => makeTicket(running, `printer ${n}`)));
    await settled(running);
    const documents = server.asked.flatMap(({ texts }) => texts);
    expect(new Set(documents).size).toBe(30);
    expect(server.asked.length).toBeLessThan(30);
    const before = server.asked.length;
    // Marked as changed, but the text is the same.
    const [id = ''] = ids;
    await running.call('PUT', `/tickets/${id}`, { body: { data: { title: 'other' } } });
    await running.call('PUT', `/tickets/${id}`, { body: { data: { title: 'printer 0' } } });
    await settled(running);
    expect(server.asked.length - before).toBeLessThanOrEqual(2);
  });

  it('leave no work behind, so that nothing is written while no text is due', async () => {
    const { running } = await startWith('openai');
    await makeTicket(running, 'printer');
    await settled(running);
    const open = await openTables(running)
      .db.selectFrom('work')
      .select('kind')
      .where('kind', '=', 'embedding')
      .where('done_at', 'is', null)
      .execute();
    expect(open).toEqual([]);
  });

  it('of a conversation follow its messages less often than they come', async () => {
    const { running, server } = await startWith('openai', 'right', 3_600_000);
    const { db } = openTables(running);
    const talked = await makeTicket(running, 'printer');
    await settled(running);
    await running.call('POST', '/ticket-messages', { body: { ticketId: talked, content: 'toner' } });
    const due = () => db.selectFrom('embedding_due').select('ticket_id').execute();
    await makeTicket(running, 'vpn');
    await until('the new ticket has its vector', async () => {
      await workNow(openTables(running), 'embedding');
      return (await due()).length === 1;
    });
    expect(await due()).toEqual([{ ticket_id: talked }]);
    expect(server.asked.flatMap(({ texts }) => texts)).toEqual(['printer', 'vpn']);
    await db
      .updateTable('ticket_embedding')
      .set({ stored_at: new Date(0) })
      .execute();
    await settled(running);
    expect(server.asked.at(-1)?.texts).toEqual([expect.stringContaining('toner')]);
  });

  it('never send internal notes to a provider, and never find what a user may not see', async () => {
    const { running, server } = await startWith('openai');
    const id = await makeTicket(running, 'printer');
    await running.call('POST', '/ticket-messages', {
      body: { ticketId: id, content: 'secret note', private: true },
    });
    await running.call('POST', '/ticket-messages', { body: { ticketId: id, content: 'public reply' } });
    const hidden = await makeTicket(running, 'printer too', { private: true });
    const other = await anotherWorkspace(running);
    await settled(running);
    expect(JSON.stringify(server.asked)).toContain('public reply');
    expect(JSON.stringify(server.asked)).not.toContain('secret note');
    const query = { query: 'toner', provider: 'openai' };
    expect((await find(running, query)).ids.sort()).toEqual([id, hidden].sort());
    expect((await find(running, { ...query, visibleToUserId: 'usr_nobody' })).ids).toEqual([id]);
    expect((await find(running, query, other.token)).ids).toEqual([]);
    expect((await find(running, { ...query, workspaceId: running.workspaceId }, other.token)).ids).toEqual(
      [],
    );
    await running.call('DELETE', `/tickets/${hidden}`);
    expect((await find(running, query)).ids).toEqual([id]);
  });

  it('are made for tickets from before the provider or its model was configured, and given up only for a rejected text', async () => {
    const databaseUrl = await serviceDatabase();
    const first = await startTestService({ databaseUrl });
    const id = await makeTicket(first, 'printer');
    await makeTicket(first, 'POISON');
    await makeTicket(first, 'vpn');
    await first.stop();
    const server = await startVectorServer('voyage');
    const begin = (model?: string) =>
      startTestService({
        databaseUrl,
        search: {
          voyage: { apiKey: 'right', baseUrl: server.baseUrl, ...(model && { model }) },
          renewMs: 0,
        },
      });
    const running = await begin();
    await settled(running);
    const { ids } = await find(running, { query: 'paper', provider: 'voyage' });
    expect(ids).toEqual([id]);
    const hashes = async () => {
      const { db } = openTables(running);
      return (await db.selectFrom('ticket_embedding').select('content_hash').execute()).map(
        ({ content_hash }) => content_hash.toString('hex'),
      );
    };
    const before = await hashes();
    await running.stop();
    await settled(await begin('voyage-next'));
    const after = await hashes();
    expect([after.length, after.filter((hash) => before.includes(hash))]).toEqual([before.length, []]);
  });

  it('come late while the provider is down, and a search says so meanwhile', async () => {
    const { running, server } = await startWith('openai');
    server.failNext({ status: 429, headers: { 'retry-after': '0' } }, { status: 500 });
    const id = await makeTicket(running, 'printer');
    await settled(running);
    expect((await find(running, { query: 'toner', provider: 'openai' })).ids).toEqual([id]);
    server.failNext({ status: 503 }, { status: 503 }, { status: 503 });
    const away = await find(running, { query: 'paper', provider: 'openai' });
    expect([away.status, away.body.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    // Not cached: the next search asks again.
    expect((await find(running, { query: 'paper', provider: 'openai' })).ids).toEqual([id]);
  });

  it('are not waited for by a search that names no provider: it goes by words alone', async () => {
    const server = await startVectorServer('openai');
    const running = await startTestService({
      databaseUrl: await serviceDatabase(),
      search: { openai: { apiKey: 'right', baseUrl: server.baseUrl }, patienceMs: 20 },
    });
    const id = await makeTicket(running, 'No toner');
    await settled(running);
    server.failNext({ status: 'none' });
    const found = await find(running, { query: 'toner' });
    expect([found.status, found.ids]).toEqual([200, [id]]);
    // The provider has not answered, and its time is not over: then it would have been asked again.
    expect(server.asked.filter(({ texts }) => texts.includes('toner'))).toHaveLength(1);
  });

  it('a provider without a key gets 422, naming the variable; a wrong key appears neither in responses nor in the log', async () => {
    const bare = await startTestService();
    for (const [provider, variable] of [
      ['openai', 'OPENAI_API_KEY'],
      ['google', 'GOOGLE_API_KEY'],
      ['voyage', 'VOYAGE_API_KEY'],
    ] as const) {
      const { status, body } = await find(bare, { query: 'x', provider });
      expect([status, body.code, body.issues?.[0]?.path]).toEqual([422, 'UNPROCESSABLE_CONTENT', 'provider']);
      expect(body.issues?.[0]?.message).toContain(variable);
    }
    const { running } = await startWith('openai', 'wrong-secret-key');
    await makeTicket(running, 'printer');
    const denied = await find(running, { query: 'toner', provider: 'openai' });
    expect(denied.status).toBe(503);
    expect(JSON.stringify([denied.body, running.lines])).not.toContain('wrong-secret-key');
  });

  it('lose little as bytes, and nothing is nearer than the vector itself', () => {
    const vector = Array.from({ length: 256 }, (_, place) => Math.sin(place * 12.9898) / 16);
    const bytes = fromBytes(toBytes(vector));
    const product = vector.reduce((sum, value, place) => sum + value * (bytes[place] ?? 0), 0);
    expect(product / (lengthOf(bytes) * Math.hypot(...vector))).toBeGreaterThan(0.999);
    expect(lengthOf(fromBytes(toBytes(Array.from({ length: 256 }, () => 0))))).toBe(1);
  });
});

describe('the language of the built-in search', () => {
  it('comes from the options, also for existing tickets; an unknown one means any language', async () => {
    const databaseUrl = await serviceDatabase();
    const english = await startTestService({ databaseUrl });
    const id = await makeTicket(english, 'Die Häuser am See');
    expect((await find(english, { query: 'Haus' })).ids).toEqual([]);
    await english.stop();
    const german = await startTestService({ databaseUrl, search: { language: 'german' } });
    const { db } = openTables(german);
    await until('it is done', async () => {
      const row = await db.selectFrom('search_setting').select('indexed_language').executeTakeFirstOrThrow();
      return row.indexed_language === 'german';
    });
    expect((await find(german, { query: 'Haus' })).ids).toEqual([id]);
    await german.stop();
    const unknown = await startTestService({ databaseUrl, search: { language: 'klingon' } });
    expect((await find(unknown, { query: 'See' })).status).toBe(200);
    expect(unknown.lines.map(({ msg }) => msg)).toContain(
      'this Postgres does not know the language of the search',
    );
  });
});
