import { describe, expect, it } from 'vitest';

import { LIMITS } from '../../../src/contract/index.ts';
import { sharedService } from '../harness.ts';
import { create, put, statuses } from './requests.ts';

const newWorkspace = sharedService();

describe('relations of a ticket', () => {
  it('a parent cannot be below its child, even if two are set concurrently', async () => {
    const service = await newWorkspace();
    const [a, b, c] = [await create(service), await create(service), await create(service)];
    expect((await put(service, a.id, { parentId: a.id })).status).toBe(422);
    await put(service, b.id, { parentId: a.id });
    await put(service, c.id, { parentId: b.id });
    expect((await put(service, a.id, { parentId: c.id })).status).toBe(422);
    const [x, y] = [await create(service), await create(service)];
    const both = await Promise.all([
      put(service, x.id, { parentId: y.id }),
      put(service, y.id, { parentId: x.id }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 422]);
    const parent = (await service.call('GET', `/tickets/${a.id}`)).body;
    expect(parent.children).toMatchObject([{ id: b.id, legacyStatus: 'OPEN' }]);
    expect((await service.call('GET', `/tickets/${b.id}`)).body.parent).toEqual({
      number: 1,
      queue: { prefix: 'HELP' },
    });
  });

  it('includeChild applies status and archiving to the children', async () => {
    const service = await newWorkspace();
    const { Done } = await statuses(service);
    const parent = await create(service);
    const child = await create(service, { parentId: parent.id });
    const { body } = await put(
      service,
      parent.id,
      { statusId: Done, title: 'Parent only' },
      { includeChild: true },
    );
    expect(body.children).toMatchObject([
      { id: child.id, statusId: Done, legacyStatus: 'RESOLVED', title: 'A ticket' },
    ]);
  });

  it('includeChild is rejected for more children than one write can change, and then changes nothing', async () => {
    const service = await newWorkspace();
    const { Done } = await statuses(service);
    const parent = await create(service);
    for (let made = 0; made <= LIMITS.childrenAtOnce; made += 10)
      await Promise.all(Array.from({ length: 10 }, () => create(service, { parentId: parent.id })));
    const refused = await put(service, parent.id, { statusId: Done }, { includeChild: true });
    expect([refused.status, refused.body.issues?.[0]?.path]).toEqual([422, 'includeChild']);
    expect((await service.call('GET', `/tickets/${parent.id}`)).body.statusId).not.toBe(Done);
  });

  it('chat threads are added, updated in place, and belong to one ticket', async () => {
    const service = await newWorkspace();
    const [a, b] = [await create(service), await create(service)];
    const thread = (id: string, body: object) => service.call('PUT', `/tickets/${id}/chat-threads`, { body });
    await thread(a.id, { channelId: 'C1', messageTs: '1.1', type: 'TRIAGE' });
    const { body } = await thread(a.id, { channelId: 'C1', messageTs: '1.1', mirrorTs: '2.2' });
    expect(body.chatThreads).toMatchObject([
      { channelId: 'C1', messageTs: '1.1', mirrorTs: '2.2', type: 'TRIAGE' },
    ]);
    expect(body.updatedAt).toBe(a.updatedAt);
    expect((await thread(b.id, { channelId: 'C1', messageTs: '1.1' })).status).toBe(409);

    // A replaced thread is not listed, and its chat pair is still known.
    const place = { chatChannelId: 'C1', chatTimestamp: 'none:V1' };
    const c = await create(service, place);
    const moved = await thread(c.id, { channelId: 'C1', messageTs: '3.3', replaces: 'none:V1' });
    expect(moved.body.chatThreads.map(({ messageTs }) => messageTs)).toEqual(['3.3']);
    expect((await create(service, place)).id).toBe(c.id);
    const { body: list } = await service.call('GET', '/tickets?chatChannelId=C1&chatMessageTs=none:V1');
    expect(list.items.map(({ id }) => id)).toEqual([c.id]);
    await thread(b.id, { channelId: 'C1', messageTs: '4.4', replaces: '3.3' });
    expect((await service.call('GET', `/tickets/${c.id}`)).body.chatThreads).toHaveLength(1);
  });
});
