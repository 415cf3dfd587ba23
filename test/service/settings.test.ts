import { describe, expect, it } from 'vitest';

import { DEMO } from '../../src/start/demo.ts';
import { shifted } from '../../src/service/statuses/order.ts';
import { sharedService, startTestService } from './harness.ts';

const newWorkspace = sharedService();

describe('users', () => {
  it('20 concurrent requests with one chat account make one user, updated', async () => {
    const { call } = await newWorkspace();
    const post = (index: number) =>
      call('POST', '/users', {
        body: {
          firstName: `Ada ${index}`,
          email: 'Ada@acme.example',
          chatUsers: [{ chatUserId: 'U1', chatTeamId: 'T1' }],
        },
      });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => post(index)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect((await call('GET', '/users?chatUserId=U1')).body.totalCount).toBe(1);
    expect((await call('GET', '/users?email=ada@ACME.example')).body.totalCount).toBe(1);
  });

  it('are found by a part of the name, and by the whole of it', async () => {
    const { call } = await newWorkspace();
    await call('POST', '/users', { body: { firstName: 'Ada', lastName: 'Reyes', email: 'a@acme.example' } });
    for (const words of ['ada', 'REY', 'Ada Reyes', 'a@acme'])
      expect((await call('GET', `/users?search=${encodeURIComponent(words)}`)).body.totalCount).toBe(1);
    expect((await call('GET', '/users?search=Ada%20Okafor')).body.totalCount).toBe(0);
  });

  it('an e-mail and a chat account of different people get 409; another Slack workspace is another account', async () => {
    const { call } = await newWorkspace();
    const account = (chatTeamId: string | null) => [{ chatUserId: 'U1', chatTeamId }];
    const ada = (await call('POST', '/users', { body: { firstName: 'Ada', email: 'ada@acme.example' } })).body
      .id;
    const ben = (await call('POST', '/users', { body: { firstName: 'Ben', chatUsers: account('T1') } })).body
      .id;
    const both = await call('POST', '/users', {
      body: { firstName: 'X', email: 'ada@acme.example', chatUsers: account('T1') },
    });
    expect([both.status, ada === ben]).toEqual([409, false]);
    const third = (await call('POST', '/users', { body: { firstName: 'Cy', chatUsers: account('T2') } })).body
      .id;
    const fourth = (await call('POST', '/users', { body: { firstName: 'Di', chatUsers: account(null) } }))
      .body.id;
    expect(new Set([ada, ben, third, fourth]).size).toBe(4);
    const again = await call('POST', '/users', {
      body: { firstName: 'Ben', email: 'ben@acme.example', chatUsers: account('T1') },
    });
    expect([again.status, again.body.id]).toEqual([200, ben]);
  });
});

describe('queues', () => {
  it('settings that are not named stay', async () => {
    const { call } = await newWorkspace();
    const { id } = (
      await call('POST', '/queues', { body: { name: 'IT', prefix: 'IT', settings: { silentMode: true } } })
    ).body;
    const targets = { URGENT: { responseMinutes: 15, resolutionMinutes: null } };
    const { body } = await call('PUT', `/queues/${id}`, {
      body: { settings: { targets, emailSenderName: 'IT' } },
    });
    expect(body).toMatchObject({
      settings: { silentMode: true, emailSenderName: 'IT', targets, enableCSAT: false },
      _count: { tickets: 0 },
    });
  });

  it('a prefix belongs to one queue, even if two are created at once', async () => {
    const { call } = await newWorkspace();
    const answers = await Promise.all(
      ['A', 'B', 'C'].map((name) => call('POST', '/queues', { body: { name, prefix: 'SAME' } })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    for (const prefix of ['it', '1T', '', 'ABCDEFGHIJK', 'A-B']) {
      const answer = await call('POST', '/queues', { body: { name: 'x', prefix } });
      expect([prefix, answer.status]).toEqual([prefix, 400]);
    }
    expect(
      (
        await call('PUT', `/queues/${answers.find(({ status }) => status === 200)?.body.id ?? ''}`, {
          body: { autoAssignees: 'usr_none' },
        })
      ).status,
    ).toBe(422);
  });
});

describe('statuses', () => {
  it('inserting a status at a position moves up no more than necessary', () => {
    const at = (positions: Record<string, number>) => new Map(Object.entries(positions));
    expect(shifted(at({ a: 0, b: 1, c: 2 }), 'c', 0)).toEqual(at({ c: 0, a: 1, b: 2 }));
    expect(shifted(at({ a: 0, b: 1, c: 5 }), 'a', 1)).toEqual(at({ a: 1, b: 2 }));
    expect(shifted(at({ a: 0, b: 1, c: 5 }), 'a', 3)).toEqual(at({ a: 3 }));
    expect(shifted(at({ a: 0 }), 'a', 0)).toEqual(new Map());
  });

  it('are renamed and reordered, ten at once without two in one position', async () => {
    const { call } = await newWorkspace();
    const { items } = (await call('GET', '/statuses')).body;
    expect(items.map(({ label }) => label)).toEqual(['Open', 'In Progress', 'Waiting', 'Done', 'Closed']);
    const puts = Array.from({ length: 10 }, (_, index) =>
      call('PUT', '/statuses', {
        body: { id: items[index % 5]?.id, order: (index * 3) % 4, label: `L${index % 5}` },
      }),
    );
    expect((await Promise.all(puts)).map(({ status }) => status)).toEqual(
      Array.from({ length: 10 }, () => 200),
    );
    const after = (await call('GET', '/statuses')).body.items;
    expect(new Set(after.map(({ order }) => order)).size).toBe(5);
    expect(new Set(after.map(({ label }) => label))).toEqual(new Set(['L0', 'L1', 'L2', 'L3', 'L4']));
    expect((await call('PUT', '/statuses', { body: { id: 'sts_none', order: 1 } })).status).toBe(404);
  });
});

describe('chat channels', () => {
  it('are linked once, relinked in place, and can be linked again after unlinking', async () => {
    const { call, workspaceId } = await newWorkspace();
    const queueId = (await call('GET', '/queues')).body.items[0]?.id;
    const link = (body: object) =>
      call('PUT', '/chat-channels', { body: { channelId: 'C1', channelName: 'help', ...body } });
    const answers = await Promise.all([link({ queueId }), link({ queueId }), link({ queueId })]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    const id = answers[0].body.id;
    expect((await link({ type: 'TRIAGE' })).body).toMatchObject({
      id,
      type: 'TRIAGE',
      queueId: null,
      app: null,
    });
    const read = async () =>
      (await call('GET', `/workspaces/${workspaceId}`)).body as unknown as {
        chatTriageChannels: { id: string }[];
      };
    expect((await read()).chatTriageChannels).toHaveLength(1);
    expect((await call('DELETE', `/chat-channels/${id}`)).status).toBe(200);
    expect((await call('DELETE', `/chat-channels/${id}`)).status).toBe(404);
    expect((await read()).chatTriageChannels).toEqual([]);
    expect((await link({ queueId })).body.id).not.toBe(id);
    expect((await link({ queueId: 'que_none' })).status).toBe(422);
    expect((await link({ workspaceId: 'wsp_none' })).status).toBe(422);
  });
});

describe('a first workspace', () => {
  it('is created once, by any number of concurrent starts', async () => {
    const { service, workspaceId, call } = await startTestService();
    const ids = await Promise.all([
      service.ensureWorkspace(),
      service.ensureWorkspace(),
      service.ensureWorkspace(),
    ]);
    expect(new Set(ids)).toEqual(new Set([workspaceId]));
    await service.seedDemo(DEMO);
    expect((await call('GET', '/queues')).body.totalCount).toBe(1);
  });
});
