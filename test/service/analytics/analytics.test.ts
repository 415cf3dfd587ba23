import { describe, expect, it } from 'vitest';

import { filterCondition, filterField } from '../../../src/contract/index.ts';
import { asker, fourTickets } from './data.ts';
import { sharedService } from '../harness.ts';
import { anotherWorkspace } from '../world.ts';

const newWorkspace = sharedService();

const of = (type: string, field: string, alias?: string) => ({ aggregations: [{ type, field, alias }] });
const byName = (data: readonly Record<string, unknown>[]) =>
  Object.fromEntries(data.map(({ groupName, value }): [string, unknown] => [String(groupName), value]));

describe('a metric', () => {
  it('is one number: responses took 60, 180, 120 and 840 seconds', async () => {
    const { ask } = await fourTickets(await newWorkspace());
    const value = async (type: string, field: string) =>
      (await ask('metric', of(type, field))).data[0]?.['value'];
    expect(await value('count', 'id')).toBe(4);
    expect(await value('sum', 'responseTime')).toBe(1200);
    expect(await value('avg', 'responseTime')).toBe(300);
    expect(await value('min', 'responseTime')).toBe(60);
    expect(await value('max', 'responseTime')).toBe(840);
    expect(await value('median', 'responseTime')).toBe(150);
    // Between the third (180) and the fourth (840), at 0.7.
    expect(await value('p90', 'responseTime')).toBeCloseTo(642, 6);
    expect(await value('count', 'timeToResolution')).toBe(1);
    expect(await value('avg', 'timeToResolution')).toBe(3600);
    expect(await value('avg', 'timeToAssignment')).toBe(30);
    expect(await value('max', 'timeToClose')).toBe(0);
    // Three ratings: 5, 5 and 2.
    expect(await value('avg', 'csat')).toBe(4);
    expect(await value('count', 'csat')).toBe(3);
    expect(await ask('metric', of('count', 'id', 'All of them'))).toMatchObject({
      type: 'single',
      data: [{ groupId: null, groupName: 'All of them', value: 4 }],
      chartConfig: { type: 'number', xKey: 'groupName', series: [{ key: 'value', label: 'All of them' }] },
    });
  });

  it('is grouped by every field, with a ticket of two tags in both groups', async () => {
    const { ask, ids } = await fourTickets(await newWorkspace());
    const grouped = async (groupBy: string, more = {}) =>
      byName((await ask('metric', { groupBy, ...more })).data);
    expect(await grouped('priority')).toEqual({ HIGH: 2, LOW: 1, URGENT: 1 });
    expect(await grouped('tags')).toEqual({ VPN: 2, "Wi-Fi's": 1, None: 2 });
    expect(await grouped('tags', { hideEmptyValues: true })).toEqual({ VPN: 2, "Wi-Fi's": 1 });
    expect(await grouped('statusId')).toEqual({ Open: 4 });
    expect(await grouped('queueId')).toEqual({ 'Help desk': 4 });
    expect(await grouped('source')).toEqual({ API: 3, CHAT: 1 });
    expect(await grouped('requestTypeId')).toEqual({ None: 4 });
    expect(await grouped('assigneeId')).toEqual({ None: 4 });
    expect(await grouped('requesterId')).toEqual({ 'Ada Lovelace': 3, Ben: 1 });
    // Ticket A has two ratings of 5 and is in that group once.
    expect(await grouped('csatScore')).toEqual({ '5': 1, '2': 1, None: 2 });
    expect(await grouped('csatScore', of('count', 'csat'))).toEqual({ '5': 2, '2': 1 });
    expect(await grouped('tags', of('avg', 'responseTime'))).toEqual({ VPN: 120, "Wi-Fi's": 60, None: 480 });
    expect(await grouped('tags', of('avg', 'csat'))).toEqual({ VPN: 4, "Wi-Fi's": 5 });
    const [first] = (await ask('metric', { groupBy: 'requesterId' })).data;
    expect(first).toEqual({ groupId: ids.ada, groupName: 'Ada Lovelace', value: 3 });
  });

  it('sorts by value, limits, and counts messages as well', async () => {
    const { ask, post, ids } = await fourTickets(await newWorkspace());
    const values = async (query: Record<string, unknown>) =>
      (await ask('metric', { groupBy: 'priority', ...query })).data.map(({ groupId }) => groupId);
    expect(await values({})).toEqual(['HIGH', 'LOW', 'URGENT']);
    expect(await values({ sortOrder: 'ASC' })).toEqual(['LOW', 'URGENT', 'HIGH']);
    expect(await values({ limit: 1 })).toEqual(['HIGH']);
    for (const [ticketId, content] of [
      [ids.a, 'one'],
      [ids.a, 'two'],
      [ids.c, 'three'],
    ])
      await post('/ticket-messages', { ticketId, content });
    const gone = await post('/ticket-messages', { ticketId: ids.c, content: 'four' });
    await post(`/ticket-messages/${gone}`, undefined, 'DELETE');
    const messages = { dataSource: 'TicketMessage', groupBy: 'priority' };
    expect(byName((await ask('metric', messages)).data)).toEqual({ HIGH: 2, LOW: 1 });
    const deleted = [[{ field: 'deletedAt', condition: 'is_not_null' }]];
    expect(byName((await ask('metric', { ...messages, filterGroups: deleted })).data)).toEqual({ LOW: 1 });
  });

  it('over createdAt has a bucket for every interval, in chronological order', async () => {
    const { ask } = await fourTickets(await newWorkspace());
    const { data } = await ask('metric', { groupBy: 'createdAt' }, { period: 'day' });
    expect(data.map(({ groupId, value }) => [groupId, value])).toEqual([
      ['2026-03-01T00:00:00.000Z', 2],
      ['2026-03-02T00:00:00.000Z', 0],
      ['2026-03-03T00:00:00.000Z', 1],
      ['2026-03-04T00:00:00.000Z', 1],
    ]);
    const madrid = { period: 'month', timeZone: 'Europe/Madrid' };
    expect((await ask('metric', { groupBy: 'createdAt' }, madrid)).data).toEqual([
      { groupId: '2026-02-28T23:00:00.000Z', groupName: '2026-02-28T23:00:00.000Z', value: 4 },
    ]);
  });

  it('leaves out drafts and archived tickets, unless the query is by archiving date', async () => {
    const { ask, post, ids } = await fourTickets(await newWorkspace());
    await post('/tickets', { title: 'Draft', published: false });
    await post(`/tickets/${ids.a}`, undefined, 'DELETE');
    expect((await ask('metric', {})).data[0]?.['value']).toBe(3);
    const archived = [[{ field: 'archivedAt', condition: 'is_not_null' }]];
    expect((await ask('metric', { filterGroups: archived })).data[0]?.['value']).toBe(1);
  });
});

describe('filters', () => {
  type Filter = [field: string, condition: string, value?: string | string[], given?: string];
  const filter = ([field, condition, value, given]: Filter) => ({ field, condition, value, given });

  it('match as documented, each condition by itself', async () => {
    const { ask, ids } = await fourTickets(await newWorkspace());
    const found = async (...given: Filter) =>
      (await ask('metric', { filterGroups: [[filter(given)]] })).data[0]?.['value'];
    const expected: [Filter, number][] = [
      [['priority', 'equals', 'HIGH'], 2],
      [['priority', 'not_equals', 'HIGH'], 2],
      [['priority', 'in', 'HIGH, LOW'], 3],
      [['priority', 'in', ['URGENT']], 1],
      [['priority', 'not_in', 'HIGH,LOW'], 1],
      [['source', 'contains', 'cha'], 1],
      [['source', 'not_contains', 'cha'], 3],
      [['assigneeId', 'is_null'], 4],
      [['assigneeId', 'not_equals', ids.ada], 4],
      [['requesterId', 'is_not_null'], 4],
      [['requesterId', 'equals', ids.ben], 1],
      [['tags', 'equals', 'tag_vpn'], 2],
      [['tags', 'not_equals', 'tag_vpn'], 2],
      [['tags', 'in', 'tag_wifi,tag_vpn'], 2],
      [['tags', 'not_in', 'tag_wifi'], 3],
      [['tags', 'contains', 'wi-fi'], 1],
      [['tags', 'not_contains', 'wi-fi'], 3],
      [['tags', 'is_null'], 2],
      [['tags', 'is_not_null'], 2],
      [['csatScore', 'equals', '5'], 1],
      [['csatScore', 'gt', '2'], 1],
      [['csatScore', 'gte', '2'], 2],
      [['csatScore', 'lt', '5'], 1],
      [['csatScore', 'lte', '5'], 2],
      [['csatScore', 'in', '1,2'], 1],
      [['csatScore', 'between', '1', '4'], 1],
      [['csatScore', 'not_equals', '5'], 3],
      [['csatScore', 'is_null'], 2],
      [['createdAt', 'equals', '2026-03-01'], 2],
      [['createdAt', 'equals', '2026-03-01T12:00:00Z'], 1],
      [['createdAt', 'not_equals', '2026-03-01'], 2],
      [['createdAt', 'gt', '2026-03-01'], 2],
      [['createdAt', 'gte', '2026-03-01T12:00:00.000Z'], 3],
      [['createdAt', 'lt', '2026-03-03'], 2],
      [['createdAt', 'lte', '2026-03-03'], 3],
      [['createdAt', 'between', '2026-03-02', '2026-03-04'], 2],
      [['createdAt', 'between', '2026-03-01T12:00:00+01:00', '2026-03-01T12:00:00Z'], 1],
      [['resolvedAt', 'is_null'], 3],
      [['resolvedAt', 'is_not_null'], 1],
    ];
    for (const [given, count] of expected) expect([given, await found(...given)]).toEqual([given, count]);
  });

  it('all filters of a group are required; groups are alternatives; ravFilters and the range always apply', async () => {
    const { ask } = await fourTickets(await newWorkspace());
    const high = filter(['priority', 'equals', 'HIGH']);
    const low = filter(['priority', 'equals', 'LOW']);
    const rated = filter(['csatScore', 'equals', '2']);
    const count = async (groups: unknown[][], around = {}) =>
      (await ask('metric', { filterGroups: groups }, around)).data[0]?.['value'];
    expect(await count([[high, rated]])).toBe(1);
    expect(await count([[high, rated], [low]])).toBe(2);
    expect(await count([[high, low]])).toBe(0);
    expect(await count([], { ravFilters: [high, rated] })).toBe(1);
    expect(await count([[high], [low]], { ravFilters: [rated] })).toBe(1);
    expect(await count([], { dateRange: { from: '2026-03-01', to: '2026-03-01' } })).toBe(2);
    expect(await count([], { dateRange: { from: '2026-03-01T12:00:00Z' } })).toBe(3);
    const madrid = { dateRange: { to: '2026-03-04' }, timeZone: 'Europe/Madrid' };
    expect(await count([], madrid)).toBe(3);
    const inRange = await ask('metric', { dateField: 'resolvedAt' }, { dateRange: { from: '2026-03-01' } });
    expect(inRange.data[0]?.['value']).toBe(1);
  });

  it('treat any text literally, in every field with every condition', async () => {
    const { ask, running } = await fourTickets(await newWorkspace());
    const hostile = [
      "'; drop table ticket; --",
      '" or 1=1',
      '%',
      '_',
      '\\',
      '$1',
      '{}',
      'null',
      '1e999',
      '٣',
      '2026-02-30',
    ];
    for (const field of filterField.options)
      for (const condition of filterCondition.options)
        for (const value of hostile.slice(0, field === 'priority' || field === 'tags' ? undefined : 2)) {
          const groups = [[{ field, condition, value, given: value }]];
          const answer = await ask('metric', { filterGroups: groups });
          expect([field, condition, value, [200, 400].includes(answer.status)]).toEqual([
            field,
            condition,
            value,
            true,
          ]);
          const counted = answer.status === 200 ? answer.data[0]?.['value'] : undefined;
          if (answer.status === 200 && !/^(not_|is_)/.test(condition))
            expect([field, condition, value, counted]).toEqual([field, condition, value, 0]);
        }
    expect((await asker(running)('metric', {})).data[0]?.['value']).toBe(4);
  });
});

describe('an invalid query', () => {
  it('gets 400 with the reason', async () => {
    const running = await newWorkspace();
    const ask = asker(running);
    const bad = { field: 'mood', condition: 'equals', value: 'x' };
    const wrong: ['metric' | 'trend', object, object, string, string][] = [
      ['metric', { filterGroups: [[bad]] }, {}, 'query.filterGroups.0.0.field', 'mood'],
      [
        'metric',
        {},
        { ravFilters: [{ ...bad, field: 'tags', condition: 'like' }] },
        'ravFilters.0.condition',
        'like',
      ],
      ['metric', { groupBy: 'mood' }, {}, 'query.groupBy', 'mood'],
      ['trend', { groupBy: ['createdAt'] }, {}, 'query.groupBy.0', 'createdAt'],
      ['trend', { timeInterval: 'decade' }, {}, 'query.timeInterval', 'decade'],
      ['metric', { dataSource: 'User' }, {}, 'query.dataSource', 'User'],
      ['metric', of('mode', 'id'), {}, 'query.aggregations.0.type', 'mode'],
      ['metric', of('avg', 'height'), {}, 'query.aggregations.0.field', 'height'],
      ['metric', of('sum', 'id'), {}, 'query.aggregations.0.field', 'id'],
      [
        'metric',
        { aggregations: [{ type: 'count' }, { type: 'count', alias: 'b' }] },
        {},
        'query.aggregations',
        'one',
      ],
      [
        'trend',
        { aggregations: [{ type: 'count' }, { type: 'count' }] },
        {},
        'query.aggregations.1.alias',
        'count_id',
      ],
      ['trend', of('count', 'id', 'timestamp'), {}, 'query.aggregations.0.alias', 'already used'],
      ['trend', of('count', 'id', '__proto__'), {}, 'query.aggregations.0.alias', 'already used'],
      [
        'metric',
        { filterGroups: [[{ field: 'priority', condition: 'gt', value: 'LOW' }]] },
        {},
        'query.filterGroups.0.0.condition',
        'gt',
      ],
      [
        'metric',
        { filterGroups: [[], [{ field: 'csatScore', condition: 'gt', value: 'x' }]] },
        {},
        'query.filterGroups.1.0.value',
        'number',
      ],
      [
        'metric',
        { filterGroups: [[{ field: 'createdAt', condition: 'between', value: '2026-01-01' }]] },
        {},
        'query.filterGroups.0.0.given',
        'second',
      ],
      [
        'metric',
        { filterGroups: [[{ field: 'priority', condition: 'equals' }]] },
        {},
        'query.filterGroups.0.0.value',
        'one value',
      ],
      ['metric', {}, { dateRange: { from: 'yesterday' } }, 'dateRange.from', 'ISO'],
      ['metric', {}, { dateRange: { to: '2026-02-30' } }, 'dateRange.to', 'ISO'],
      ['metric', {}, { timeZone: 'Mars/Olympus' }, 'timeZone', 'IANA'],
      ['metric', {}, { timeZone: '+02:00' }, 'timeZone', 'IANA'],
      [
        'trend',
        { timeInterval: 'hour' },
        { dateRange: { from: '1990-01-01', to: '2026-01-01' } },
        'dateRange',
        '10000',
      ],
    ];
    for (const [kind, query, around, path, word] of wrong) {
      const { status, issue } = await ask(
        kind,
        query as Record<string, unknown>,
        around as Record<string, unknown>,
      );
      expect([status, issue?.path]).toEqual([400, path]);
      expect(issue?.message).toContain(word);
    }
  });

  it('a query for another workspace gets 422; a read-only key may query', async () => {
    const { ask, running } = await fourTickets(await newWorkspace());
    const other = await anotherWorkspace(running);
    const foreign = await ask('metric', {}, {}, other.token);
    expect([foreign.status, foreign.issue?.path]).toEqual([422, 'workspaceId']);
    const own = await ask('metric', {}, { workspaceId: other.workspaceId }, other.token);
    expect(own.data[0]?.['value']).toBe(0);
    const reader = await running.key('read');
    expect((await ask('metric', {}, {}, reader)).data[0]?.['value']).toBe(4);
    expect((await ask('trend', {}, {}, reader)).status).toBe(200);
  });
});
