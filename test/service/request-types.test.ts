import { describe, expect, it } from 'vitest';

import { createRegistry } from '../../src/platform/metrics.ts';
import { registerDatabaseFigures } from '../../src/platform/database/open.ts';
import { keyFrom } from '../../src/service/custom-fields/key.ts';
import { checkValue } from '../../src/service/custom-fields/value.ts';
import { type Answered, type Running, sharedService } from './harness.ts';
import { anotherWorkspace } from './world.ts';

const newWorkspace = sharedService();

type Started = Running;

const save = ({ call }: Started, body: object): Promise<Answered> =>
  call('POST', '/request-types', { body: { name: 'Type', ...body } });
const idOf = async (answer: Promise<Answered>): Promise<string> => {
  const { status, body } = await answer;
  expect([status, body]).toEqual([200, body]);
  return body.id;
};
const move = ({ call }: Started, id: string, targetId: string | null): Promise<Answered> =>
  call('POST', '/request-types/move', { body: { id, targetId } });
const open = ({ call }: Started, body: object): Promise<Answered> =>
  call('POST', '/tickets', { body: { title: 'A ticket', ...body } });
const field = (service: Started, type: string, more: object = {}): Promise<string> =>
  idOf(service.call('POST', '/custom-fields', { body: { label: type, type, ...more } }));

describe('request types', () => {
  it('are created, and updated by an existing id, in the same operation', async () => {
    const service = await newWorkspace();
    const { body: made } = await save(service, { id: 'chosen', emoji: '💻', defaultPriority: 'HIGH' });
    expect(made).toMatchObject({
      id: 'chosen',
      type: 'request-type',
      isDefault: false,
      published: true,
      formEnabled: false,
      parent: null,
      tags: [],
      customFields: [],
    });
    const { body: again } = await save(service, { id: 'chosen', name: ' Renamed ', emoji: null });
    expect(again).toMatchObject({ id: 'chosen', name: 'Renamed', emoji: null, defaultPriority: 'HIGH' });
    const put = await service.call('PUT', '/request-types/chosen', { body: { formEnabled: true } });
    expect(put.body).toMatchObject({ name: 'Renamed', formEnabled: true });
    expect((await service.call('GET', '/forms')).body.items.map(({ id }) => id)).toEqual(['chosen']);
    expect((await service.call('GET', '/request-types')).body.totalCount).toBe(1);
    for (const wrong of [{ name: ' ' }, { type: 'folder' }, { defaultPriority: 'SOON' }])
      expect((await save(service, wrong)).status).toBe(400);
    for (const wrong of [{ defaultQueueId: 'que_none' }, { defaultStatusId: 'x' }, { tags: [{ id: 'x' }] }])
      expect((await save(service, wrong)).status).toBe(422);
  });

  it('a request type of another workspace is not found by its id, and cannot be taken over by it', async () => {
    const service = await newWorkspace();
    const other = await anotherWorkspace(service);
    const id = await idOf(save(service, { name: 'Ours' }));
    const foreign = await service.call('POST', '/request-types', {
      body: { id, name: 'Theirs' },
      token: other.token,
    });
    expect(foreign.status).toBe(409);
    expect((await service.call('GET', `/request-types/${id}`)).body).toMatchObject({ name: 'Ours' });
    const moved = await service.call('POST', '/request-types/move', {
      body: { id: await idOf(save(service, {})), targetId: null },
      token: other.token,
    });
    expect(moved.status).toBe(404);
  });

  it('can only be moved into collections, and never into themselves, even concurrently', async () => {
    const service = await newWorkspace();
    const [a, b] = [
      await idOf(save(service, { name: 'A', type: 'collection' })),
      await idOf(save(service, { name: 'B', type: 'collection' })),
    ];
    const leaf = await idOf(save(service, {}));
    expect((await move(service, leaf, b)).body).toMatchObject({ parentId: b, parent: { id: b, name: 'B' } });
    expect((await move(service, a, leaf)).status).toBe(422);
    expect((await move(service, a, a)).status).toBe(422);
    expect((await move(service, leaf, 'rqt_none')).status).toBe(422);
    expect((await move(service, 'rqt_none', a)).status).toBe(404);
    const metrics = createRegistry();
    registerDatabaseFigures(metrics);
    const deadlocks = async () => /reason="deadlock"\} \d+/.exec(await metrics.metrics())?.[0];
    const before = await deadlocks();
    expect(before).toBeDefined();
    for (let round = 0; round < 5; round++) {
      const both = await Promise.all([move(service, a, b), move(service, b, a)]);
      expect(both.map(({ status }) => status).sort()).toEqual([200, 422]);
      await move(service, a, null);
      await move(service, b, null);
    }
    // A retry hides each deadlock, and costs a second.
    expect(await deadlocks()).toBe(before);
    expect((await move(service, a, b)).status).toBe(200);
    await move(service, leaf, b);
    expect((await save(service, { id: b, name: 'B', type: 'request-type' })).status).toBe(422);
    expect((await service.call('DELETE', `/request-types/${b}`)).status).toBe(409);
    expect((await move(service, leaf, null)).body).toMatchObject({ parentId: null, parent: null });
  });

  it('have one default, even if several are set concurrently', async () => {
    const service = await newWorkspace();
    const answers = await Promise.all(
      ['A', 'B', 'C', 'D'].map((name) => save(service, { name, isDefault: true })),
    );
    expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
    await save(service, { name: 'E', isDefault: true });
    const { items } = (await service.call('GET', '/request-types')).body;
    const defaults = items.filter((item) => (item as unknown as { isDefault: boolean }).isDefault);
    expect(defaults).toMatchObject([{ name: 'E' }]);
  });

  it('apply their defaults to a ticket and are shown on it; one that tickets use cannot be removed', async () => {
    const service = await newWorkspace();
    const queueId = (await service.call('POST', '/queues', { body: { name: 'IT', prefix: 'IT' } })).body.id;
    const statuses = (await service.call('GET', '/statuses')).body.items;
    const waiting = statuses.find(({ label }) => label === 'Waiting')?.id;
    const id = await idOf(
      save(service, {
        name: 'Laptop',
        isPrivate: true,
        defaultQueueId: queueId,
        defaultStatusId: waiting,
        defaultPriority: 'LOW',
      }),
    );
    const { body } = await open(service, { requestTypeId: id });
    expect(body).toMatchObject({
      code: 'IT-1',
      priority: 'LOW',
      statusId: waiting,
      requestTypeId: id,
      requestType: { id, name: 'Laptop', isPrivate: true },
    });
    const named = await open(service, { requestTypeId: id, priority: 'URGENT', statusId: statuses[0]?.id });
    expect(named.body).toMatchObject({ priority: 'URGENT', statusId: statuses[0]?.id });
    expect((await service.call('DELETE', `/request-types/${id}`)).status).toBe(409);
    const collection = await idOf(save(service, { type: 'collection' }));
    expect((await open(service, { requestTypeId: collection })).status).toBe(422);
  });
});

describe('custom fields', () => {
  it('have unique keys, made from the label if none is given', async () => {
    const service = await newWorkspace();
    const post = (body: object) => service.call('POST', '/custom-fields', { body });
    const answers = await Promise.all([1, 2, 3].map(() => post({ label: 'Côst centre', type: 'TEXT' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(answers.find(({ status }) => status === 200)?.body).toMatchObject({
      key: 'cost_centre',
      options: [],
      config: null,
      system: false,
      _count: { requestTypeCustomField: 0 },
    });
    expect(keyFrom('7 Zwerge')).toBe('field_7_zwerge');
    expect(keyFrom('漢字')).toMatch(/^field/);
    expect((await post({ label: 'X', type: 'MOOD' })).status).toBe(400);
    expect((await post({ label: 'X', key: '1 x', type: 'TEXT' })).status).toBe(400);
    expect((await post({ label: 'X', type: 'TEXT', options: [{ value: 'a' }] })).status).toBe(422);
  });

  it('keep the ids of options whose value stays', async () => {
    const service = await newWorkspace();
    const id = await field(service, 'SELECT', { options: [{ value: 'S' }, { value: 'M', color: 'red' }] });
    const read = async () =>
      (
        (await service.call('GET', '/custom-fields')).body.items[0] as unknown as {
          options: { id: string; value: string; order: number }[];
        }
      ).options;
    const [, medium] = await read();
    const options = [{ value: 'M' }, { value: 'L' }];
    const put = await service.call('PUT', `/custom-fields/${id}`, { body: { options } });
    expect(put.status).toBe(200);
    expect((await read()).map(({ value, order }) => [value, order])).toEqual([
      ['M', 0],
      ['L', 1],
    ]);
    expect((await read())[0]?.id).toBe(medium?.id);
    const twice = await service.call('PUT', `/custom-fields/${id}`, {
      body: { options: [{ value: 'L' }, { value: 'L ' }] },
    });
    expect(twice.status).toBe(400);
  });

  it('are attached to request types in order, and cannot depend on each other in a cycle', async () => {
    const service = await newWorkspace();
    const [a, b] = [await field(service, 'TEXT'), await field(service, 'NUMBER')];
    const id = await idOf(save(service, {}));
    const put = (customFields: object[]) =>
      service.call('PUT', `/request-types/${id}`, { body: { customFields } });
    const first = await put([
      { customFieldId: b, order: 2, parentId: a, dependsOnValue: 'x' },
      { customFieldId: a, order: 1, required: true, ticketField: 'TITLE' },
    ]);
    const shown = (answer: Answered) =>
      (answer.body as unknown as { customFields: { id: string; customFieldId: string; parentId: string }[] })
        .customFields;
    const [top, below] = shown(first);
    expect([top?.customFieldId, below?.customFieldId, below?.parentId]).toEqual([a, b, top?.id]);
    const second = shown(await put([{ customFieldId: a }]));
    expect(second).toMatchObject([{ id: top?.id, required: false, ticketField: null }]);
    expect((await put([{ customFieldId: a, parentId: a }])).status).toBe(422);
    expect((await put([{ customFieldId: a, parentId: b }])).status).toBe(422);
    expect((await put([{ customFieldId: 'cfd_none' }])).status).toBe(422);
    expect((await put([{ customFieldId: a }, { customFieldId: a }])).status).toBe(400);
    const fields = (await service.call('GET', '/custom-fields?sortBy=label')).body.items;
    expect(fields).toMatchObject([
      { _count: { requestTypeCustomField: 0 } },
      { _count: { requestTypeCustomField: 1 } },
    ]);
    await service.call('DELETE', `/custom-fields/${a}`);
    expect((await service.call('GET', `/request-types/${id}`)).body).toMatchObject({ customFields: [] });
  });

  it('the fields of a request type decide which values a ticket accepts: required ones, the right types, and no unknown ones', async () => {
    const service = await newWorkspace();
    const size = await field(service, 'SELECT', {
      key: 'size',
      options: [{ value: 'S' }, { value: 'L' }],
    });
    const [count, why] = [await field(service, 'NUMBER', { key: 'count' }), await field(service, 'TEXT')];
    const user = await field(service, 'USER_SELECT', { key: 'who' });
    const title = await field(service, 'TEXT_AREA', { key: 'title' });
    const id = await idOf(
      save(service, {
        customFields: [
          { customFieldId: size, required: true },
          { customFieldId: count },
          { customFieldId: why, required: true, parentId: size, dependsOnValue: 'L' },
          { customFieldId: user },
          { customFieldId: title, required: true, ticketField: 'TITLE' },
        ],
      }),
    );
    const tried = (customFields: object) => open(service, { requestTypeId: id, customFields });
    const refused: [object, string][] = [
      [{}, 'customFields.size'],
      [{ size: 'XL' }, 'customFields.size'],
      [{ size: 'S', count: '1' }, 'customFields.count'],
      [{ size: 'L' }, 'customFields.text'],
      [{ size: 'S', who: 'usr_none' }, 'customFields.who'],
    ];
    for (const [values, path] of refused) {
      const { status, body } = await tried(values);
      expect([status, body.issues?.[0]?.path]).toEqual([422, path]);
    }
    const { body: made } = await tried({ size: 'S', count: 2, surprise: true });
    expect(made).toMatchObject({ number: 1, customFields: { size: 'S', count: 2 } });
    const put = (data: object) => service.call('PUT', `/tickets/${made.id}`, { body: { data } });
    expect((await put({ customFields: { size: null } })).status).toBe(422);
    expect((await put({ customFields: { size: 'L' } })).status).toBe(422);
    expect(
      (await put({ customFields: { size: 'L', text: 'Two screens', other: 1 } })).body.customFields,
    ).toEqual({ size: 'L', count: 2, text: 'Two screens' });
    const free = (await open(service, { customFields: { anything: [1] } })).body;
    expect(free.customFields).toEqual({ anything: [1] });
    const typed = await service.call('PUT', `/tickets/${free.id}`, { body: { data: { requestTypeId: id } } });
    expect(typed.status).toBe(422);
  });

  it('accept valid values of each type and reject invalid ones', () => {
    const options = [{ id: 'cfo_1', value: 'a' }];
    const fits = (type: Parameters<typeof checkValue>[0]['type'], value: unknown) =>
      checkValue({ type, options }, value).kind;
    for (const [type, fine, invalid] of [
      [
        'DATE',
        ['2026-02-28', '2024-02-29', '2000-02-29', '0001-01-01', '9999-12-31'],
        [
          '2026-13-01',
          '2026-00-10',
          '2026-02-30',
          '2026-02-29',
          '1900-02-29',
          '2026-04-31',
          '2026-06-00',
          '0000-01-01',
          '2026-1-1',
          '26-01-01',
          '2026-02-28T00:00:00Z',
          ' 2026-02-28',
          '',
          20_260_228,
          null,
        ],
      ],
      [
        'TIME',
        ['00:00', '23:59', '09:30:59'],
        ['24:00', '9:30', '12:60', '12:00:60', '-1:00', '12', '12:00Z', '', 930],
      ],
      [
        'DATETIME',
        [
          '2026-11-20T09:30:00+01:00',
          '2026-11-20T09:30Z',
          '2024-02-29T23:59:59.999Z',
          '2026-11-20T09:30:00-0330',
        ],
        [
          '2026-11-20',
          '2026-02-30T09:30:00Z',
          '2026-02-29T09:30:00Z',
          '2026-04-31T00:00:00+02:00',
          '2026-11-20T24:00:00Z',
          '2026-11-20T09:60:00Z',
          '2026-11-20T09:30:61Z',
          '2026-11-20T09:30:00',
          '0000-12-31T23:00:00Z',
          '9999-12-31T23:00:00-05:00',
          '2026-11-20T09:30:00+25:00',
          '',
          0,
        ],
      ],
      ['NUMBER', [0, -1.5, 1e21], ['1', '', Number.NaN, Number.POSITIVE_INFINITY, null, [1]]],
      ['USER_SELECT', [], ['', null, ['usr_1'], 7]],
      ['USER_MULTI_SELECT', [], ['usr_1', [''], [7], null]],
    ] as const) {
      for (const value of fine) expect([type, value, fits(type, value)]).toEqual([type, value, 'fine']);
      for (const value of invalid) expect([type, value, fits(type, value)]).toEqual([type, value, 'wrong']);
    }
    expect(fits('BOOLEAN', 'true')).toBe('wrong');
    expect(fits('MULTI_SELECT', ['a', 'cfo_1'])).toBe('fine');
    expect(fits('MULTI_SELECT', 'a')).toBe('wrong');
    expect(fits('PRIORITY_SELECT', 'HIGH')).toBe('fine');
    expect(fits('TAG_SELECT', ['tag_1'])).toBe('references');
    expect(fits('HEADING', 'x')).toBe('none');
  });
});

describe('tags', () => {
  it('have unique names, ignoring case, even if created concurrently', async () => {
    const service = await newWorkspace();
    const post = (name: string) => service.call('POST', '/tags', { body: { name } });
    const answers = await Promise.all(['VPN', 'vpn', 'Vpn '].map(post));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const { id } = (await post('Mail')).body;
    expect((await service.call('PUT', `/tags/${id}`, { body: { name: 'vPN' } })).status).toBe(409);
    expect((await service.call('PUT', `/tags/${id}`, { body: { name: 'MAIL', color: null } })).status).toBe(
      200,
    );
  });

  it('are added to tickets and removed, and disappear from them when deleted', async () => {
    const service = await newWorkspace();
    const made = async (name: string) => (await service.call('POST', '/tags', { body: { name } })).body.id;
    const [a, b] = [await made('a'), await made('b')];
    const { body: ticket } = await open(service, { tags: [{ id: a }] });
    expect(ticket).toMatchObject({ tags: [{ id: a, name: 'a', color: null }] });
    const put = (data: object) => service.call('PUT', `/tickets/${ticket.id}`, { body: { data } });
    const changed = await put({ addTags: [{ id: b }], removeTags: [{ id: a }] });
    expect(changed.body).toMatchObject({ tags: [{ id: b }] });
    expect((await put({ addTags: [{ id: 'tag_none' }] })).status).toBe(422);
    expect((await service.call('GET', `/tickets?tagId=${b}`)).body.totalCount).toBe(1);
    await service.call('DELETE', `/tags/${b}`);
    expect((await service.call('GET', `/tickets/${ticket.id}`)).body).toMatchObject({ tags: [] });
  });
});
