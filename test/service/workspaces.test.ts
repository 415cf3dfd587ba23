import { describe, expect, it } from 'vitest';

import { imageType } from '../../src/service/workspaces/image-type.ts';
import { sharedService } from './harness.ts';
import { anotherWorkspace } from './world.ts';

const newWorkspace = sharedService();

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('workspaces', () => {
  it('change only in the named fields; null empties an optional one', async () => {
    const { call, workspaceId } = await newWorkspace();
    const put = (body: object) => call('PUT', `/workspaces/${workspaceId}`, { body });
    const first = await put({
      name: ' Acme ',
      slug: 'acme-2',
      brandIcon: '🏢',
      brandColor: '#112233',
      private: true,
      chatBotUsername: 'helper',
      settings: { ticketAssigneeScope: 'queue', disableChatUserSync: true },
    });
    expect(first.body).toMatchObject({
      name: 'Acme',
      slug: 'acme-2',
      private: true,
      chatBotUsername: 'helper',
      chatBotIconUrl: null,
      settings: { ticketAssigneeScope: 'queue', disableChatUserSync: true, visibleInChat: true },
    });
    const second = await put({ brandIcon: null, settings: { visibleInChat: false }, defaultQueueId: null });
    expect(second.body).toMatchObject({
      brandIcon: null,
      brandColor: '#112233',
      defaultQueueId: null,
      settings: { ticketAssigneeScope: 'queue', visibleInChat: false },
    });
    for (const slug of ['Acme', '-a', 'a--b', 'ä', ''])
      expect([slug, (await put({ slug })).status]).toEqual([slug, 400]);
    expect((await put({ defaultQueueId: 'que_none' })).status).toBe(422);
    expect((await put({ activePersonalityId: 'psn_none' })).status).toBe(422);
  });

  it('are created by an admin, whose key then has access, with their own statuses and a unique slug', async () => {
    const running = await newWorkspace();
    const post = () => running.call('POST', '/workspaces', { body: { name: 'New', slug: 'new' } });
    const answers = await Promise.all([post(), post(), post()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const id = answers.find(({ status }) => status === 200)?.body.id ?? '';
    expect((await running.call('GET', `/statuses?workspaceId=${id}`)).body.totalCount).toBe(5);
    expect((await running.call('GET', '/workspaces')).body.totalCount).toBe(2);
    const other = await running.key('admin', running.workspaceId);
    expect((await running.call('GET', `/workspaces/${id}`, { token: other })).status).toBe(404);
    const taken = await running.call('PUT', `/workspaces/${running.workspaceId}`, { body: { slug: 'new' } });
    expect([taken.status, taken.body.code]).toEqual([409, 'CONFLICT']);
  });

  it('are accessible to the key that created them from its next request on', async () => {
    const { call } = await newWorkspace();
    for (let n = 0; n < 5; n++) {
      const made = await call('POST', '/workspaces', { body: { name: 'New', slug: `new-${n}` } });
      const queue = { name: 'IT', prefix: 'IT', workspaceId: made.body.id };
      expect((await call('POST', '/queues', { body: queue })).status).toBe(200);
    }
  });

  it('serve their bot’s picture to anyone who knows its URL, and only pictures', async () => {
    const { call, url, workspaceId } = await newWorkspace();
    const put = (chatBotIcon: unknown) =>
      call('PUT', `/workspaces/${workspaceId}`, { body: { chatBotIcon } });
    const icon = (base64: string) => ({ base64, fileName: 'bot.png' });
    const { body } = await put(icon(PNG.toString('base64')));
    const { pathname } = new URL((body as unknown as { chatBotIconUrl: string }).chatBotIconUrl);
    const shown = await fetch(`${url.replace('/api', '')}${pathname}`);
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(shown.headers.get('x-content-type-options')).toBe('nosniff');
    expect(Buffer.from(await shown.arrayBuffer())).toEqual(PNG);
    expect((await fetch(`${url}/workspaces/${workspaceId}/icon/${'0'.repeat(32)}`)).status).toBe(404);
    expect((await fetch(`${url}/workspaces/%00/icon/x`)).status).toBe(404);
    const script = Buffer.from('<svg onload="alert(1)">').toString('base64');
    expect((await put(icon(script))).status).toBe(422);
    expect((await put(icon('not base64!'))).status).toBe(400);
    const large = Buffer.concat([PNG, Buffer.alloc(2 * 1024 * 1024)]).toString('base64');
    expect((await put(icon(large))).status).toBe(200);
    expect((await put(icon('A'.repeat(6 * 1024 * 1024)))).status).toBe(413);
    expect((await fetch(`${url.replace('/api', '')}${pathname}`)).status).toBe(404);
    expect((await put(null)).body).toMatchObject({ chatBotIconUrl: null });
  });

  it('recognize pictures by their first bytes', () => {
    expect(imageType(PNG)).toBe('image/png');
    expect(imageType(Buffer.from([0xff, 0xd8, 0xff, 0xe0]))).toBe('image/jpeg');
    expect(imageType(Buffer.from('GIF89a'))).toBe('image/gif');
    expect(imageType(Buffer.from('RIFF\n\0\0\0WEBPVP8 '))).toBe('image/webp');
    expect(imageType(Buffer.from('RIFF....WAVE'))).toBeUndefined();
    expect(imageType(Buffer.alloc(0))).toBeUndefined();
  });

  it('accept only valid emoji actions', async () => {
    const { call, workspaceId } = await newWorkspace();
    const put = (chatEmojiActions: unknown) =>
      call('PUT', `/workspaces/${workspaceId}`, { body: { chatEmojiActions } });
    const actions = { ticket: { action: 'create' }, '+1': { action: 'priority', value: 'HIGH' } };
    expect((await put(actions)).body).toMatchObject({ chatEmojiActions: actions });
    const wrong = [
      { ticket: { action: 'explode' } },
      { ticket: 'create' },
      { fire: { action: 'priority', value: 'SOON' } },
      { done: { action: 'status' } },
      { ':ticket:': { action: 'create' } },
      [],
    ];
    for (const value of wrong) expect([value, (await put(value)).status]).toEqual([value, 400]);
    expect((await put(null)).body).toMatchObject({ chatEmojiActions: null });
  });
});

describe('queues', () => {
  it('can be changed in every field, and stay in their workspace', async () => {
    const service = await newWorkspace();
    const other = await anotherWorkspace(service);
    const type = (await service.call('POST', '/request-types', { body: { name: 'Laptop' } })).body.id;
    const ada = (await service.call('POST', '/users', { body: { firstName: 'Ada' } })).body.id;
    const { id } = (await service.call('POST', '/queues', { body: { name: 'IT', prefix: 'IT' } })).body;
    const put = (body: object) => service.call('PUT', `/queues/${id}`, { body });
    const all = await put({
      name: 'Desk',
      prefix: 'DSK',
      emoji: '🖥️',
      requestTypes: [{ id: type }],
      autoAssignees: ada,
      workspaceId: service.workspaceId,
      settings: { enableCSAT: true, targets: { HIGH: { responseMinutes: 60, resolutionMinutes: 480 } } },
    });
    expect(all.body).toMatchObject({
      name: 'Desk',
      prefix: 'DSK',
      emoji: '🖥️',
      requestTypes: [{ id: type }],
      autoAssignees: [{ id: ada }],
      settings: { enableCSAT: true, targets: { HIGH: { responseMinutes: 60 } } },
    });
    const emptied = await put({ requestTypes: [], autoAssignees: null, emoji: null });
    expect(emptied.body).toMatchObject({ name: 'Desk', requestTypes: [], autoAssignees: [], emoji: null });
    expect((await put({ workspaceId: other.workspaceId })).status).toBe(422);
    expect((await put({ requestTypes: [{ id: 'rqt_none' }] })).status).toBe(422);
    expect((await put({ settings: { targets: { SOON: {} } } })).status).toBe(400);
  });
});

describe('custom statuses', () => {
  it('come last in order, each with its own position, even if several are created at once', async () => {
    const service = await newWorkspace();
    const { items } = (await service.call('GET', '/statuses')).body;
    const { statusGroupId } = items[2] as unknown as { statusGroupId: string };
    const post = (label: string) => service.call('POST', '/statuses', { body: { label, statusGroupId } });
    const made = await Promise.all(['Vendor', 'Customer', 'Parts', 'Approval'].map(post));
    expect(made.map(({ body }) => body.order).sort()).toEqual([5, 6, 7, 8]);
    expect(made[0]?.body).toMatchObject({
      system: false,
      statusGroup: { label: 'Waiting' },
      requestTypes: [],
    });
    const { body: ticket } = await service.call('POST', '/tickets', {
      body: { title: 'x', statusId: made[0]?.body.id },
    });
    const child = await service.call('POST', '/tickets', {
      body: { title: 'y', parentId: ticket.id, statusId: made[0]?.body.id },
    });
    expect(child.status).toBe(200);
    const parent = await service.call('GET', `/tickets/${ticket.id}`);
    expect(parent.body.children).toMatchObject([{ legacyStatus: 'PENDING' }]);
    const other = await anotherWorkspace(service);
    const foreign = await service.call('POST', '/statuses', {
      body: { label: 'x', statusGroupId },
      token: other.token,
    });
    expect(foreign.status).toBe(422);
  });

  it('can be removed while nothing uses them; system ones never', async () => {
    const service = await newWorkspace();
    const { items } = (await service.call('GET', '/statuses')).body;
    const { statusGroupId } = items[0] as unknown as { statusGroupId: string };
    const make = async () =>
      (await service.call('POST', '/statuses', { body: { label: 'Own', statusGroupId } })).body.id;
    const remove = (id: string) => service.call('DELETE', `/statuses/${id}`);
    expect((await remove(items[0]?.id ?? '')).status).toBe(403);
    const [free, used, named] = [await make(), await make(), await make()];
    await service.call('POST', '/tickets', { body: { title: 'x', statusId: used } });
    await service.call('POST', '/request-types', { body: { name: 'x', defaultStatusId: named } });
    expect([(await remove(used)).status, (await remove(named)).status]).toEqual([409, 409]);
    expect([(await remove(free)).status, (await remove(free)).status]).toEqual([200, 404]);
  });

  it('a status linked to request types is rejected on tickets of others', async () => {
    const service = await newWorkspace();
    const { items } = (await service.call('GET', '/statuses')).body;
    const { statusGroupId } = items[1] as unknown as { statusGroupId: string };
    const type = async (name: string) =>
      (await service.call('POST', '/request-types', { body: { name } })).body.id;
    const [laptop, access] = [await type('Laptop'), await type('Access')];
    const { body: status } = await service.call('POST', '/statuses', {
      body: { label: 'Ordered', statusGroupId, requestTypeIds: [laptop, laptop] },
    });
    expect(status).toMatchObject({ requestTypes: [{ requestTypeId: laptop }] });
    const open = (requestTypeId: string | null, statusId?: string) =>
      service.call('POST', '/tickets', { body: { title: 'x', requestTypeId, statusId } });
    expect((await open(laptop, status.id)).status).toBe(200);
    expect([(await open(access, status.id)).status, (await open(null, status.id)).status]).toEqual([
      422, 422,
    ]);
    const { id } = (await open(access)).body;
    const put = (data: object) => service.call('PUT', `/tickets/${id}`, { body: { data } });
    expect((await put({ statusId: status.id })).status).toBe(422);
    expect((await put({ statusId: status.id, requestTypeId: laptop })).status).toBe(200);
    expect((await put({ requestTypeId: access })).status).toBe(422);
  });
});
