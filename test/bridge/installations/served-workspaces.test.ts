import { expect, onTestFinished, test } from 'vitest';

import type { Installed } from '../../../src/bridge/index.ts';
import { ServedWorkspaces } from '../../../src/bridge/installations/served-workspaces.ts';
import { createLog } from '../../../src/platform/log.ts';

const log = createLog({ level: 'silent', pretty: false });
const acme = (second: number): Installed => ({
  team: 'T0ACME',
  name: 'Acme',
  schema: 'bridge_t0acme',
  installation: 'T0ACME',
  installedAt: new Date(second * 1000),
});

/** Workspaces that record their lifecycle in order. */
function served() {
  const told: string[] = [];
  const state = {
    told,
    installed: [] as Installed[],
    /** The promise that the next removed workspace waits for before it has ended. */
    leaves: Promise.resolve(undefined),
    trouble: undefined as Error | undefined,
  };
  const workspaces = new ServedWorkspaces({
    log,
    installed: async () => {
      if (state.trouble) throw state.trouble;
      return state.installed;
    },
    open: async ({ installedAt }) => {
      const name = `of ${installedAt.getTime() / 1000}`;
      told.push(`${name} begins`);
      return {
        name,
        retire: async () => {
          await state.leaves;
          told.push(`${name} retires`);
        },
        stop: async () => {
          await state.leaves;
          told.push(`${name} stops`);
        },
      };
    },
  });
  onTestFinished(() => workspaces.stop());
  return { state, workspaces };
}

test('P10 a workspace that was removed and installed again between two checks is served again, with its new token', async () => {
  const { state, workspaces } = served();
  state.installed = [acme(1)];
  await workspaces.look();
  await workspaces.begun('T0ACME');
  await workspaces.look();
  expect(state.told).toEqual(['of 1 begins']);
  state.installed = [acme(2)];
  await workspaces.look();
  await workspaces.begun('T0ACME');
  // Nothing is retired: both use the same webhook.
  expect(state.told).toEqual(['of 1 begins', 'of 1 stops', 'of 2 begins']);
  expect(workspaces.get('T0ACME')?.name).toBe('of 2');
});

test('P10 a workspace that comes back while it is being removed starts only afterwards, so that the removal does not disable its webhook', async () => {
  const { state, workspaces } = served();
  state.installed = [acme(1)];
  await workspaces.look();
  await workspaces.begun('T0ACME');
  const gone = Promise.withResolvers<undefined>();
  state.leaves = gone.promise;
  state.installed = [];
  await workspaces.look();
  state.installed = [acme(2)];
  await workspaces.look();
  expect(workspaces.get('T0ACME')).toBeUndefined();
  gone.resolve(undefined);
  await workspaces.begun('T0ACME');
  expect(state.told).toEqual(['of 1 begins', 'of 1 retires', 'of 1 stops', 'of 2 begins']);
});

test('P10 a failed check ends nothing; the next one finds the installations', async () => {
  const { state, workspaces } = served();
  state.trouble = new Error('the database is away');
  const failed = workspaces.look();
  const behind = workspaces.look();
  await Promise.all([failed, behind]);
  state.trouble = undefined;
  state.installed = [acme(1)];
  await workspaces.look();
  await workspaces.begun('T0ACME');
  expect(workspaces.all.map(({ name }) => name)).toEqual(['of 1']);
});

test('P10 served workspaces stop with the program, even one that is just starting, and none is retired for that', async () => {
  const { state, workspaces } = served();
  state.installed = [acme(1)];
  await workspaces.look();
  await workspaces.stop();
  await workspaces.begun('T0ACME');
  await workspaces.look();
  expect(state.told).not.toContain('of 1 retires');
  expect(workspaces.all).toEqual([]);
  expect(state.told.at(-1)).toBe('of 1 stops');
});
