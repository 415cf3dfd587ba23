import pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';

import { DEMO, SANDBOX_SEED } from '../../src/start/demo.ts';
import { botScopes } from '../../src/start/manifest.ts';
import { TestClock } from '../harness/clock.ts';
import { createTestDatabase } from '../harness/database.ts';
import { runCommand } from '../harness/run-command.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { sharedWorld, startWorld, type World } from '../harness/world.ts';
import { openSandbox } from '../sandbox/open-sandbox.ts';

const Report = z.object({
  state: z.enum(['ok', 'warn', 'bad']),
  findings: z.array(
    z.object({ id: z.string(), state: z.string(), says: z.string(), fix: z.string().optional() }),
  ),
});
type Report = z.infer<typeof Report>;

async function ask(
  world: World,
  environment: Record<string, string> = {},
  clock?: TestClock,
): Promise<Report & { code: number | null }> {
  const { code, out } = await runCommand(
    ['doctor', '--json'],
    { ...world.environment, ...environment },
    clock,
  );
  return { ...Report.parse(JSON.parse(out)), code };
}

const found = ({ findings }: Report, id: string) => findings.find((finding) => finding.id === id);
const badOnes = ({ findings }: Report) => findings.filter(({ state }) => state === 'bad').map(({ id }) => id);

/** The sandbox, configured like a Slack workspace. */
const slackOf = ({ urls }: World) => ({
  SLACK_API_URL: `${urls.sandbox}/api/`,
  SLACK_APP_TOKEN: DEMO.app.appToken,
});

async function inDatabase(world: World, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: world.environment['DATABASE_URL'] ?? '' });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

async function open(world: World, words: string): Promise<string> {
  const { bot } = await world.chat.state();
  const { ts } = await world.chat.say('it-help', 'ada', `<@${bot}> ${words}`);
  const ticket = await ticketAt(world.service, ts);
  await world.untilIdle();
  return ticket.id;
}

describe('deskbridge doctor', () => {
  test('a healthy world is reported as healthy, with a ping that arrived; if it does not run, that is reported', async () => {
    const world = await startWorld();
    const { code, out } = await runCommand(['doctor'], world.environment);
    expect(out).toContain('No problems found.');
    expect(out).toMatch(/service\.ping +A ping of the service came in after \d+ ms/);
    expect(out).toContain(`All ${(await botScopes()).length} scopes of the manifest are granted.`);
    expect(out).toContain('The bot is in all 2 channels linked to queues.');
    expect(out).not.toContain('→');
    expect(code).toBe(0);

    await world.stop();
    const stopped = await ask(world);
    expect(found(stopped, 'running')).toMatchObject({
      state: 'warn',
      fix: expect.stringContaining('deskbridge start') as string,
    });
    expect(found(stopped, 'chat.token')?.says).toMatch(/part of `deskbridge start`, which does not run/);
    expect(found(stopped, 'service.key')?.says).toMatch(/part of `deskbridge start`, which does not run/);
    expect(badOnes(stopped)).toEqual([]);
    expect(stopped.code).toBe(0);
  });

  describe('reports a problem with its fix and the exit code', () => {
    const world = sharedWorld();
    beforeAll(() => {
      world.skipComparison('what the last test breaks stays broken');
    });

    test('a token that Slack refuses', async () => {
      const wrongToken = await ask(world, { SLACK_BOT_TOKEN: 'xoxb-wrong', ...slackOf(world) });
      expect(found(wrongToken, 'chat.token')).toMatchObject({
        state: 'bad',
        says: 'Slack refuses SLACK_BOT_TOKEN (invalid_auth).',
        fix: expect.stringContaining('OAuth & Permissions') as string,
      });
      expect(wrongToken.code).toBe(1);

      const wrongAppToken = await ask(world, {
        ...slackOf(world),
        SLACK_BOT_TOKEN: DEMO.app.botToken,
        SLACK_APP_TOKEN: 'xapp-wrong',
      });
      expect(badOnes(wrongAppToken)).toEqual(['chat.connection']);
      expect(found(wrongAppToken, 'chat.connection')?.says).toContain('(invalid_auth)');
      expect(found(wrongAppToken, 'chat.connection')?.fix).toContain('connections:write');
    });

    test('a Slack workspace that is not trusted, neither itself nor by its organisation', async () => {
      const { service } = world;
      // The bridge reports its workspace when a person first writes.
      await open(world, 'the window is stuck');
      const { items: teams } = await service.listChatTeams({ query: {} });
      expect(teams).toMatchObject([{ id: DEMO.team.id, name: DEMO.team.name, isTrusted: true }]);
      for (const id of ['T0ELSE', 'T0GROUPED', 'E0GROUP'])
        await service.putChatTeam({
          body: { id, name: `Acme ${id}`, isTrusted: id.startsWith('E'), organisationId: 'E0GROUP' },
        });
      await service.putChatTeam({ body: { id: 'T0ELSE', organisationId: 'E0OTHERS' } });
      const untrusted = await ask(world);
      expect(untrusted.findings.filter(({ id }) => id === 'chat.trust')).toEqual([
        {
          id: 'chat.trust',
          state: 'warn',
          says: expect.stringContaining('Acme T0ELSE (T0ELSE) has the app, but is not trusted') as string,
          fix: expect.stringContaining('`npx deskbridge workspaces trust T0ELSE`, or E0OTHERS') as string,
        },
      ]);
    });

    test('a key that the service refuses, and one that can only read', async () => {
      const wrongKey = await ask(world, { SERVICE_API_TOKEN: 'a-key-that-nobody-made' });
      expect(badOnes(wrongKey)).toEqual(['service.key']);
      expect(found(wrongKey, 'service.key')?.says).toContain('(401)');
      const { key } = await world.service.createApiKey({ body: { name: 'reporting', role: 'read' } });
      const readOnly = await ask(world, { SERVICE_API_TOKEN: key });
      expect(found(readOnly, 'service.key')).toMatchObject({
        state: 'bad',
        says: expect.stringContaining('may only read') as string,
      });
    });

    test('before the first start, the next step of connecting a workspace', async () => {
      const { url } = await createTestDatabase('new owner');
      const next = async (tokens: Record<string, string>) => {
        const { out } = await runCommand(['doctor'], { DATABASE_URL: url, ...slackOf(world), ...tokens });
        return /^Next: (.*)$/m.exec(out)?.[1];
      };
      expect(await next({ SLACK_BOT_TOKEN: 'xoxb-wrong' })).toContain('OAuth & Permissions');
      const right = { SLACK_BOT_TOKEN: DEMO.app.botToken };
      expect(await next({ ...right, SLACK_APP_TOKEN: 'xapp-wrong' })).toContain('connections:write');
      expect(await next(right)).toContain('Start the bridge');
    });

    test('a scope that the admin of the Slack workspace has not granted', async () => {
      const { app } = SANDBOX_SEED;
      const scopes = app.scopes.filter((scope) => scope !== 'metadata.message:read');
      const { url: granting } = await openSandbox({ seed: { ...SANDBOX_SEED, app: { ...app, scopes } } });
      const short = await ask(world, {
        SLACK_API_URL: `${granting}/api/`,
        SLACK_APP_TOKEN: app.appToken,
        SLACK_BOT_TOKEN: app.botToken,
      });
      expect(badOnes(short)).toContain('chat.scopes');
      expect(found(short, 'chat.scopes')?.says).toContain('metadata.message:read');
      expect(found(short, 'chat.scopes')?.fix).toContain('reinstall the app');
    });

    // The last test of this world, which stays broken.
    test('a channel without the bot, a dead letter, a post with an unknown outcome and a disabled webhook', async () => {
      const { chat, service } = world;
      await open(world, 'the roof leaks');
      await chat.post('kick', { channel: 'people-help', user: 'ada', member: 'deskbridge' });
      await inDatabase(
        world,
        `with lanes as (insert into bridge.lane (key, class) values ('chat:x', 'chat'))
         insert into bridge.work (lane, kind, body, added_at, not_before, dead_at, error)
         values ('chat:x', 'send', '{"outbox":"none"}', now(), now(), now(), 'chat.postMessage: restricted_action')`,
      );
      await inDatabase(
        world,
        `update bridge.outbox set state = 'sending', sending_since = now() - interval '5 minutes'
         where id = (select id from bridge.outbox where state = 'sent' limit 1)`,
      );
      const [webhook] = (await service.listWebhooks({})).items;
      // The bridge corrects its webhook within a minute, possibly before the doctor looks.
      const report = await until('the webhook to be seen disabled', async () => {
        await service.updateWebhook({ params: { id: webhook?.id ?? '' }, body: { active: false } });
        const seen = await ask(world);
        return found(seen, 'service.webhook')?.state === 'bad' && seen;
      });
      expect(badOnes(report).sort()).toEqual(['chat.channels', 'dead-letters', 'service.webhook']);
      expect(found(report, 'chat.channels')?.says).toContain('#people-help');
      expect(found(report, 'chat.channels')?.fix).toContain('/invite');
      expect(found(report, 'service.webhook')?.says).toContain('disabled');
      expect(found(report, 'dead-letters')).toMatchObject({
        says: '1 item could not be delivered.',
        fix: expect.stringContaining('deskbridge dead-letters list') as string,
      });
      expect(found(report, 'uncertain')).toMatchObject({ state: 'warn' });
      expect(report.code).toBe(1);
    });
  });

  test('a webhook that the service cannot reach is found by a ping, and reported with the service’s error', async () => {
    const world = await startWorld({ PUBLIC_URL: 'http://127.0.0.1:1' });
    world.skipComparison('the service can never reach the bridge');
    const { service } = world;
    const [webhook] = (await service.listWebhooks({})).items;
    const params = { id: webhook?.id ?? '' };
    const clock = new TestClock();
    const asked = ask(world, {}, clock);
    await until('the ping to be tried', async () => {
      const { items } = await service.listDeliveries({ params, query: { limit: 20 } });
      return items.some(({ attempts }) => attempts.length > 0);
    });
    // The doctor would have waited for this time.
    clock.pass(11_000);
    const report = await asked;
    expect(badOnes(report)).toEqual(['service.ping']);
    expect(found(report, 'service.ping')).toMatchObject({
      says: expect.stringMatching(/^A ping of the service did not come in \(.+\)\.$/) as string,
      fix: expect.stringContaining('PUBLIC_URL') as string,
    });
    expect(report.code).toBe(1);
  });

  test('a database that is down is bad; one without tables is reported as empty', async () => {
    const away = await runCommand(['doctor', '--json'], {
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing',
    });
    const report = Report.parse(JSON.parse(away.out));
    expect(report.findings).toMatchObject([{ id: 'database', state: 'bad' }]);
    expect(away.code).toBe(1);

    const { url } = await createTestDatabase('doctor');
    const empty = await runCommand(['doctor', '--json'], { DATABASE_URL: url });
    expect(Report.parse(JSON.parse(empty.out)).findings).toMatchObject([
      { id: 'database', state: 'warn', fix: expect.stringContaining('deskbridge migrate') as string },
      { id: 'running', state: 'warn' },
    ]);
    expect(empty.code).toBe(0);
  });
});
