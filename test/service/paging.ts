import { expect } from 'vitest';

import { type Body, startTestService } from './harness.ts';

/**
 * Reads a list page by page while eight writers insert: no earlier row may be skipped, and none may come
 * twice.
 */
export async function readWhileInserting(list: string, order: string): Promise<void> {
  const service = await startTestService();
  const { call } = service;
  const ticketId = (await call('POST', '/tickets', { body: { title: 'first' } })).body.id;
  const priorities = ['URGENT', 'LOW', 'MEDIUM'];
  const insert = (number: number): Promise<{ status: number; body: Body }> => {
    if (list === 'users') return call('POST', '/users', { body: { firstName: `P${number}` } });
    if (list === 'tickets')
      return call('POST', '/tickets', {
        body: { title: `T${number % 5}`, priority: priorities[number % 3] },
      });
    return call('POST', '/ticket-messages', { body: { ticketId, content: `m${number}` } });
  };
  const there = new Set<string>();
  for (let number = 0; number < 60; number++) there.add((await insert(number)).body.id);
  let reading = true;
  let inserted = 0;
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    // Bounded, so that reading towards the newest ends.
    for (let number = 0; reading && number < 20; number++) {
      expect((await insert(writer * 100 + number)).status).toBe(200);
      inserted++;
    }
  });
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const next: string = cursor === null ? '' : `&cursor=${cursor}`;
    const page = await call('GET', `/${list}?limit=4&${order}${next}`);
    expect(page.status).toBe(200);
    seen.push(...page.body.items.map(({ id }) => id));
    cursor = page.body.nextCursor;
  } while (cursor !== null);
  reading = false;
  await Promise.all(writers);
  expect(inserted).toBeGreaterThan(8);
  expect(new Set(seen).size).toBe(seen.length);
  expect([...there].filter((id) => !seen.includes(id))).toEqual([]);
}
