import { expect, it } from 'vitest';

import type { Application } from '../../src/contract/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createIds } from '../../src/platform/ids.ts';
import { createLog } from '../../src/platform/log.ts';
import { ApplicationsError, importApplications } from '../../src/service/index.ts';
import { type Running, startTestService } from './harness.ts';
import { anotherWorkspace } from './world.ts';

type Started = Running;

const around = {
  log: createLog({ level: 'silent', pretty: false }),
  clock: systemClock,
  newId: createIds(systemClock),
};
const bring = ({ databaseUrl }: Started, content: unknown, workspace?: string) =>
  importApplications(databaseUrl, content, { ...around, ...(workspace !== undefined && { workspace }) });
const list = async ({ call }: Started, query = '') =>
  (await call('GET', `/applications${query}`)).body.items as unknown as Application[];

it('imported applications are listed according to the specification, and replaced by the next import', async () => {
  const service = await startTestService();
  const ada = (await service.call('POST', '/users', { body: { firstName: 'Ada' } })).body.id;
  const editor = {
    name: 'Editor',
    domain: 'editor.example',
    price: 12.5,
    ownerId: ada,
    approverIds: [ada, ada],
    approvalStrategy: 'Any',
    accessLevels: [{ name: 'Writer', integrationGroupIds: ['g1'], approverIds: [ada] }],
    integration: {
      name: 'Directory',
      app: 'directory',
      integrationGroups: [{ id: 'g1', name: 'Writers', externalGroupId: 'ext-1' }],
    },
  };
  expect(await bring(service, [editor, { name: 'Wiki', status: 'INACTIVE' }])).toEqual({
    created: 2,
    replaced: 0,
  });
  const [first] = await list(service, '?status=ACTIVE');
  expect(first).toMatchObject({
    name: 'Editor',
    price: 12.5,
    ownerId: ada,
    approvers: [{ id: ada }],
    approverGroups: [],
    workspaces: [{ id: service.workspaceId }],
    accessLevels: [{ name: 'Writer', approvalStrategy: 'All', approverGroupIds: [] }],
    integration: { app: 'directory', imageURL: null, integrationGroups: [{ id: 'g1', metadata: {} }] },
  });
  expect(await bring(service, [{ ...editor, name: 'EDITOR', price: null }])).toEqual({
    created: 0,
    replaced: 1,
  });
  const again = (await list(service)).find(({ id }) => id === first?.id);
  expect(again).toMatchObject({ name: 'EDITOR', price: null, createdAt: first?.createdAt });
  expect(again?.accessLevels[0]?.id).toBe(first?.accessLevels[0]?.id);
  expect(again?.integration?.id).toBe(first?.integration?.id);
});

it('an invalid file is reported with its errors and imports nothing', async () => {
  const service = await startTestService();
  const good = { name: 'Good' };
  const wrong: [unknown, RegExp][] = [
    ['text', /array/],
    [[good, {}], /^1: name/],
    [[good, { name: 'X', status: 'GONE' }], /^1: status/],
    [[good, { name: 'good ' }], /twice/],
    [[good, { name: 'X', ownerId: 'usr_none' }], /^1: ownerId/],
    [
      [good, { name: 'X', accessLevels: [{ name: 'L', approverIds: ['usr_none'] }] }],
      /^1: accessLevels: 0: approverIds/,
    ],
  ];
  for (const [content, message] of wrong) {
    const refused = bring(service, content);
    await expect(refused).rejects.toBeInstanceOf(ApplicationsError);
    await expect(refused).rejects.toThrow(message);
  }
  await expect(bring(service, [good], 'nowhere')).rejects.toThrow('nowhere');
  expect(await list(service)).toEqual([]);
});

it('applications are imported into the named workspace, and visible only in it', async () => {
  const service = await startTestService();
  const other = await anotherWorkspace(service);
  await bring(service, [{ name: 'Theirs' }], other.slug);
  expect(await list(service)).toEqual([]);
  const theirs = await service.call('GET', '/applications', { token: other.token });
  expect(theirs.body.totalCount).toBe(1);
});
