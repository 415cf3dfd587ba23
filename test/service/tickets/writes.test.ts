import { describe, expect, it } from 'vitest';

import { sharedService, startTestService } from '../harness.ts';
import { create, person, put, statuses } from './requests.ts';

const newWorkspace = sharedService();

describe('writing to a ticket', () => {
  it('writes the named fields and nothing else; null empties; unknown fields are ignored', async () => {
    const service = await newWorkspace();
    const ada = await person(service, 'Ada');
    const before = await create(service, {
      description: 'Text',
      assigneeId: ada,
      dueAt: '2026-12-01T10:00:00+02:00',
      customFields: { a: 1, b: 2 },
    });
    expect(before.dueAt).toBe('2026-12-01T08:00:00.000Z');
    const { body: after } = await put(service, before.id, {
      dueAt: null,
      assigneeId: null,
      customFields: { b: null, c: [3] },
      id: 'x',
      number: 9,
    });
    const { updatedAt, ...rest } = after;
    expect(rest).toEqual({
      ...rest,
      ...without(before, 'updatedAt'),
      dueAt: null,
      assigneeId: null,
      assignedAt: null,
      customFields: { a: 1, c: [3] },
    });
    expect(updatedAt > before.updatedAt).toBe(true);
    const again = await put(service, before.id, { assigneeId: null });
    expect(again.body).toEqual(after);
  });

  it('status changes set and clear the dates of resolution and closing', async () => {
    const service = await newWorkspace();
    const { id } = await create(service);
    const by = await statuses(service);
    const done = (await put(service, id, { statusId: by['Done'] })).body;
    expect([done.resolvedAt !== null, done.closedAt, done.status.label]).toEqual([true, null, 'Done']);
    const closed = (await put(service, id, { statusId: by['Closed'] })).body;
    expect([closed.resolvedAt, closed.closedAt !== null]).toEqual([done.resolvedAt, true]);
    const reopened = (await put(service, id, { statusId: by['Waiting'] })).body;
    expect([reopened.resolvedAt, reopened.closedAt]).toEqual([null, null]);
    const direct = (await put(service, id, { statusId: by['Closed'] })).body;
    expect(direct.resolvedAt).toBe(direct.closedAt);
    const born = await create(service, { statusId: by['Done'] });
    expect(born.resolvedAt).toBe(born.createdAt);
  });

  it('approvers, followers and tags are replaced as a whole', async () => {
    const service = await newWorkspace();
    const [ada, ben] = [await person(service, 'Ada'), await person(service, 'Ben')];
    const made = await create(service, {
      approverIds: [ben],
      approvers: [{ id: ada }, { id: ben }],
      followers: [{ id: ada }],
    });
    expect(made.approvers).toEqual([{ id: ben }, { id: ada }]);
    const { body } = await put(service, made.id, { approverIds: [ada], followers: [] });
    expect([body.approvers, body.followers]).toEqual([[{ id: ada }], []]);
  });

  it('F9 50 concurrent writes lose nothing, and updatedAt strictly increases', async () => {
    const service = await startTestService({ poolSize: 50 });
    const { id } = await create(service);
    const writes = Array.from({ length: 50 }, (_, index) =>
      index % 2 === 0
        ? put(service, id, { customFields: { [`f${index}`]: index } })
        : service.call('POST', '/ticket-messages', { body: { ticketId: id, content: `m${index}` } }),
    );
    const answers = await Promise.all(writes);
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 200));
    const stamps = answers.map((answer) => answer.body.updatedAt);
    expect(new Set(stamps).size).toBe(50);
    const { customFields } = (await service.call('GET', `/tickets/${id}`)).body;
    expect(Object.keys(customFields)).toHaveLength(25);
    const messages = (await service.call('GET', `/ticket-messages?ticketId=${id}&sortBy=updatedAt`)).body
      .items;
    const times = messages.map((message) => message.updatedAt);
    expect(times).toHaveLength(25);
    expect(times).toEqual([...new Set(times)].sort());
  });

  it('archiving hides a ticket from lists, but not from requests by its id', async () => {
    const service = await newWorkspace();
    const { id } = await create(service);
    const archived = (await service.call('DELETE', `/tickets/${id}`)).body;
    expect(archived.archivedAt).not.toBeNull();
    expect((await service.call('DELETE', `/tickets/${id}`)).body).toEqual(archived);
    expect((await service.call('GET', '/tickets')).body.items).toEqual([]);
    expect((await service.call('GET', '/tickets?includeArchived=true')).body.totalCount).toBe(1);
    expect((await service.call('GET', `/tickets/${id}`)).status).toBe(200);
    expect((await put(service, id, { archivedAt: null })).body.archivedAt).toBeNull();
  });
});

function without(record: object, ...keys: string[]): object {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));
}
