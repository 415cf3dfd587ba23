import { describe, expect, it } from 'vitest';

import { MovableClock } from '../clock.ts';
import { sharedService, startTestService } from '../harness.ts';
import { create, person, put } from './requests.ts';
import { openTables } from '../world.ts';

const newWorkspace = sharedService();

describe('decisions on a ticket', () => {
  it('the first decision on an approval wins, and a second one gets 409', async () => {
    const service = await newWorkspace();
    const ada = await person(service, 'Ada');
    const { id } = await create(service, { approverIds: [ada] });
    const at = '2026-11-20T10:00:00.000Z';
    expect((await put(service, id, { approvedAt: at, declinedAt: at })).status).toBe(422);
    const answers = await Promise.all([
      put(service, id, { approvedAt: at }, { approverId: ada, reason: 'Within budget' }),
      put(service, id, { declinedAt: at }, { approverId: ada }),
      put(service, id, { approvedAt: at }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const { body } = await service.call('GET', `/tickets/${id}`);
    expect(body.metadata.approval).toMatchObject({ decision: body.approvedAt ? 'approved' : 'declined' });
    expect([body.approvedAt, body.declinedAt].filter(Boolean)).toEqual([at]);
  });

  it('one of 5 concurrent claims holds for two minutes; it assigns nobody, changes nothing and sends no event', async () => {
    const clock = new MovableClock();
    const service = await startTestService({ clock });
    const { id, updatedAt } = await create(service);
    const people = [];
    for (let count = 0; count < 5; count++) people.push(await person(service, `P${count}`));
    await service.call('POST', '/webhooks', { body: { url: 'http://127.0.0.1:9/hook' } });
    const claim = (userId: string) => service.call('PUT', `/tickets/${id}/claim`, { body: { userId } });
    const answers = await Promise.all(people.map(claim));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
    const place = answers.findIndex(({ status }) => status === 200);
    const [winner = '', other = ''] = [people[place], people[(place + 1) % 5]];
    const read = async () => (await service.call('GET', `/tickets/${id}`)).body;
    const until = new Date(clock.now().getTime() + 120_000).toISOString();
    expect(await read()).toMatchObject({
      assigneeId: null,
      updatedAt,
      metadata: { claim: { userId: winner, until } },
    });
    clock.pass(119_000);
    expect([(await claim(other)).status, (await claim(winner)).status]).toEqual([409, 200]);
    clock.pass(119_000);
    expect((await claim(other)).status).toBe(409);
    clock.pass(1_000);
    expect((await read()).metadata.claim).toBeNull();
    expect((await claim(other)).body.metadata.claim).toMatchObject({ userId: other });
    expect((await claim('usr_none')).status).toBe(422);
    const events = await openTables(service)
      .db.selectFrom('event')
      .selectAll()
      .where('workspace_id', '=', service.workspaceId)
      .execute();
    expect(events).toEqual([]);
  });

  it('a user has one rating per ticket; a later one replaces it and sends a ticket update', async () => {
    const service = await newWorkspace();
    const [ada, ben] = [await person(service, 'Ada'), await person(service, 'Ben')];
    const made = await create(service);
    await service.call('POST', '/webhooks', { body: { url: 'http://127.0.0.1:9/hook' } });
    const rate = (body: object) => service.call('POST', `/tickets/${made.id}/csat`, { body });
    const answers = await Promise.all([1, 2, 3, 4].map((score) => rate({ score, userId: ada })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await rate({ score: 2, userId: ada, feedback: 'Slow' });
    await rate({ score: 2, userId: ada, feedback: 'Slow' });
    const { body } = await rate({ score: 5, userId: ben });
    expect(body).toMatchObject({
      csat: [
        { score: 2, feedback: 'Slow' },
        { score: 5, feedback: null },
      ],
    });
    expect(body.updatedAt > made.updatedAt).toBe(true);
    for (const wrong of [{ score: 0 }, { score: 6 }, { score: 1.5 }, {}])
      expect((await rate({ userId: ada, ...wrong })).status).toBe(400);
    expect((await rate({ score: 1, userId: 'usr_none' })).status).toBe(422);
    const events = await openTables(service)
      .db.selectFrom('event')
      .selectAll()
      .where('workspace_id', '=', service.workspaceId)
      .execute();
    expect(events.map(({ type, action }) => `${type} ${action}`)).toEqual(
      Array.from({ length: 6 }, () => 'Ticket updated'),
    );
    const last = JSON.parse(events.at(-1)?.body ?? '') as { changes: object };
    expect(last.changes).toHaveProperty('csat');
  });
});
