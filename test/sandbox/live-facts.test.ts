import { readFileSync } from 'node:fs';

import { expect, onTestFinished, test, vi } from 'vitest';

import { UsageError } from '../../src/commands/command.ts';
import { compareWithLive } from '../../src/commands/live-facts.ts';
import { readConfig } from '../../src/start/config.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import type { Sandbox, SandboxSeed } from '../../src/sandbox/index.ts';
import { PROBES } from '../../src/sandbox/live-probes.ts';
import { HELP, openSandbox, SEED } from './open-sandbox.ts';

const GONE = {
  id: 'U0GONEE',
  name: 'gone',
  firstName: 'Gil',
  lastName: 'Ode',
  email: 'gil@acme.example',
  timeZone: 'Europe/Paris',
  deleted: true,
};
const seed: SandboxSeed = { ...SEED, people: [...SEED.people, GONE] };

/** Runs the command against a sandbox as if it were a real workspace, without its pauses. */
async function compare(sandbox: Sandbox, channel: string = HELP) {
  let out = '';
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += String(text);
    return true;
  });
  onTestFinished(() => spy.mockRestore());
  const config = readConfig({
    SLACK_BOT_TOKEN: SEED.app.botToken,
    SLACK_APP_TOKEN: SEED.app.appToken,
    SLACK_API_URL: sandbox.apiUrl,
  });
  const around = {
    log: createLog({ level: 'silent', pretty: false }),
    clock: systemClock,
    newId: (prefix: string) => prefix,
    random: () => 0,
    version: '0',
  };
  try {
    const code = await compareWithLive(
      {
        config,
        around,
        values: { live: true, channel },
        positionals: [],
        terminal: false,
        began: new Date(),
      },
      0,
    );
    return { code, out };
  } finally {
    spy.mockRestore();
  }
}

test('the sandbox behaves as the live facts expect, and everything they created is gone afterwards', async () => {
  const sandbox = await openSandbox({ seed });
  await sandbox.control.topic({ channel: 'it-help', user: 'ada', topic: 'Broken things' });
  const before = await sandbox.control.messages('it-help');
  const { code, out } = await compare(sandbox);
  expect(
    out.split('\n').filter((line) => /^(DIFFERS|not tried)|expected|seen |left behind/.test(line)),
  ).toEqual([]);
  expect(out).toContain(`${PROBES.length} same, 0 differ, 0 could not be checked`);
  expect(code).toBe(0);
  expect(await sandbox.control.messages('it-help')).toEqual(before);
  const scheduled = sandbox.control
    .calls()
    .filter(({ method }) => method === 'chat.scheduleMessage' || method === 'chat.deleteScheduledMessage');
  expect(scheduled.filter(({ ok }) => ok)).toHaveLength(2 * 31);
});

test('a difference is reported with the observed value and exit code 1; facts without the required scope are reported as not tried', async () => {
  const scopes = ['chat:write', 'channels:history', 'channels:read', 'users:read'];
  const sandbox = await openSandbox({ seed: { ...seed, app: { ...SEED.app, scopes } } });
  sandbox.control.faults({ faults: [{ method: 'views.publish', kind: 'error', error: 'user_not_found' }] });
  const { code, out } = await compare(sandbox);
  expect(code).toBe(1);
  expect(out).toMatch(
    /^DIFFERS {3}`views\.publish`.*\n.*\n.*expected \{"error":"invalid_arguments".*\n.*seen {5}\{"error":"user_not_found"\}$/m,
  );
  expect(out).toMatch(
    /^not tried `reactions\.add`.*\n.*\n.*reactions\.add needs the scope reactions:write$/m,
  );
  expect(out).toMatch(/^not tried .*setTopic.*\n.*\n.*the channel has no topic/m);
  expect(out).toMatch(/ same, 1 differ, \d+ could not be checked/);
});

test('the command never writes to a channel that is not named, not a member’s, or archived', async () => {
  const sandbox = await openSandbox({ seed });
  for (const name of ['', 'it-help']) await expect(compare(sandbox, name)).rejects.toThrow(UsageError);
  await expect(compare(sandbox, 'C0QUIET')).rejects.toThrow('Invite it first');
  await sandbox.control.archive({ channel: 'it-help', user: 'ada', archived: true });
  await expect(compare(sandbox)).rejects.toThrow('made for testing');
  expect(sandbox.control.calls().filter(({ method }) => method.startsWith('chat.'))).toEqual([]);
});

test('each assumed fact is tried by a probe, or listed as not tried with the reason', () => {
  const text = readFileSync(new URL('../../src/sandbox/slack-facts.md', import.meta.url), 'utf8');
  const [facts = '', untriedPart = ''] = text.split('## Assumed, and not tried');
  const cells = (part: string) =>
    [...part.matchAll(/^\| (.+?) +\| (.+?) +\|$/gm)].map(([, first = '', second = '']) => ({
      first,
      second,
    }));
  const assumed = cells(facts)
    .filter(({ second }) => second.includes('**assumed**'))
    .map(({ first }) => first);
  const untried = cells(untriedPart).filter(({ first }) => first !== 'Behaviour' && !/^-+$/.test(first));
  const tried = PROBES.map(([fact]) => fact);

  expect(tried.filter((fact) => !assumed.includes(fact))).toEqual([]);
  expect(new Set(tried).size).toBe(tried.length);
  expect(untried.filter(({ first }) => !assumed.includes(first))).toEqual([]);
  expect(untried.filter(({ second }) => second.length < 10)).toEqual([]);
  const known = new Set([...tried, ...untried.map(({ first }) => first)]);
  expect(assumed.filter((fact) => !known.has(fact))).toEqual([]);
});
