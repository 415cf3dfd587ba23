import { expect, test } from 'vitest';

import { startTestService } from '../service/harness.ts';
import { anotherWorkspace, keyOfBoth } from '../service/world.ts';
import { openDesk } from './open-desk.ts';

/** Tickets of two workspaces, at a desk of both: in the first one those with even numbers, and three more. */
async function twoWorkspaces() {
  const running = await startTestService();
  const other = await anotherWorkspace(running);
  const token = await keyOfBoth(running, other.workspaceId);
  const { ask } = await openDesk(running.url);
  await ask('POST', '/desk/session', { key: token });
  const priorities = ['LOW', 'URGENT', 'NO_PRIORITY', 'HIGH', 'MEDIUM'];
  for (let number = 0; number < 13; number++) {
    const isFirst = number % 2 === 0 || number > 9;
    const body = {
      title: `ticket ${String(number).padStart(2, '0')}`,
      priority: priorities[number % 5],
      dueAt: number % 3 === 0 ? null : `2026-12-${String(number + 10)}T09:00:00.000Z`,
    };
    await running.call('POST', '/tickets', { token: isFirst ? running.token : other.token, body });
  }
  type Item = { title: string; priority: string; dueAt: string | null };
  const read = async (query: Record<string, string>) => {
    const { status, body } = await ask('GET', `/desk/api/tickets?${new URLSearchParams(query).toString()}`);
    return { status, ...(body as { items: Item[]; totalCount: number; nextCursor: string | null }) };
  };
  /** All pages, one after the other. */
  const walk = async (query: Record<string, string>) => {
    const items: Item[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await read({ ...query, ...(cursor && { cursor }) });
      expect([page.status, page.totalCount]).toEqual([200, 13]);
      expect(page.items.length).toBeLessThanOrEqual(Number(query['limit']));
      items.push(...page.items);
      cursor = page.nextCursor;
    }
    return items;
  };
  return { read, walk };
}

test('a list over two workspaces goes on by cursor: every record once, in one order, whatever the pages', async () => {
  const { read, walk } = await twoWorkspaces();
  const titles = Array.from({ length: 13 }, (_, number) => `ticket ${String(number).padStart(2, '0')}`);
  for (const limit of ['1', '5', '50']) {
    const up = await walk({ sortBy: 'createdAt', sortDirection: 'asc', limit });
    expect(up.map(({ title }) => title)).toEqual(titles);
    const down = await walk({ sortBy: 'createdAt', sortDirection: 'desc', limit });
    expect(down.map(({ title }) => title)).toEqual(titles.toReversed());
  }
  expect((await read({ sortBy: 'createdAt', cursor: 'planted' })).status).toBe(400);
});

test('several workspaces are ordered as the service orders one: by urgency, and what has no time last', async () => {
  const { walk } = await twoWorkspaces();
  const urgency = ['URGENT', 'HIGH', 'MEDIUM', 'LOW', 'NO_PRIORITY'];
  const byPriority = await walk({ sortBy: 'priority', sortDirection: 'asc', limit: '4' });
  const ranks = byPriority.map(({ priority }) => urgency.indexOf(priority));
  expect(ranks).toEqual(ranks.toSorted((one, other) => one - other));
  const byDue = (await walk({ sortBy: 'dueAt', sortDirection: 'asc', limit: '4' })).map(
    ({ dueAt }) => dueAt ?? '9999',
  );
  expect(byDue).toEqual(byDue.toSorted());
});
