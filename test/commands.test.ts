import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { describe, expect, onTestFinished, test } from 'vitest';

import { createTestDatabase } from './harness/database.ts';
import type { CommandOption } from '../src/commands/command.ts';
import { commands } from '../src/commands/index.ts';
import { DEMO } from '../src/start/demo.ts';
import { readManifest } from './docs/manifest-lines.ts';
import { freePorts } from './harness/ports.ts';
import { runCommand } from './harness/run-command.ts';
import { until } from './harness/until.ts';
import { runCli, startProcess, startWorld } from './harness/world.ts';

/** Not the checkout's own directory, which may hold a developer's sandbox. */
async function newDataDir(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'commands-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const NOWHERE = 'postgres://nobody@127.0.0.1:1/nothing';

describe('a command that cannot run prints one sentence that says what to do, and exits with an error', () => {
  test.each<[string, string[], Record<string, string>, RegExp]>([
    ['an unknown command', ['strat'], {}, /Unknown command "strat"[^]*deskbridge <command>/],
    ['an unknown option', ['start', '--demon'], {}, /--demon/],
    ['people link without a user', ['people', 'link', 'U1'], {}, /people link <Slack user id> <user id/],
    [
      'a sign-in link without an e-mail address',
      ['people', 'sign-in-link', 'mira'],
      {},
      /sign-in-link <e-mail>/,
    ],
    [
      'a sign-in link with an unknown role',
      ['people', 'sign-in-link', 'a@b.example', '--role', 'read'],
      {},
      /--role requester/,
    ],
    ['people bots with an unknown value', ['people', 'bots', 'maybe'], {}, /bots \[allow\|refuse\]/],
    ['an unknown setting', ['start'], { SLACK_BOT_TOKE: 'x' }, /did you mean SLACK_BOT_TOKEN\?/],
    ['a manifest for HTTP without a URL', ['manifest', '--http'], {}, /PUBLIC_URL is missing/],
    ['a missing variable', ['start'], { SLACK_BOT_TOKEN: 'xoxb-1' }, /SLACK_APP_TOKEN is missing/],
    ['the bridge without a service', ['bridge'], {}, /SERVICE_URL is missing/],
    [
      'keys of a remote service',
      ['keys', 'list'],
      { SERVICE_URL: 'http://127.0.0.1:1/api', SERVICE_API_TOKEN: 'x'.repeat(20) },
      /points to another service/,
    ],
  ])('%s', async (_, args, environment, sentence) => {
    const { code, out, err } = await runCommand(args, environment);
    expect(out + err).toMatch(sentence);
    expect(err).not.toMatch(/\n\s+at /);
    expect(code).toBeGreaterThan(0);
  });

  test('the process does so too, with its exit code', async () => {
    const environment = { SERVICE_URL: 'http://127.0.0.1:1/api', SERVICE_API_TOKEN: 'x'.repeat(20) };
    const { code, out, err } = await runCli(['keys', 'list'], environment);
    expect([code, out, err]).toEqual([1, '', expect.stringContaining('points to another service')]);
  });

  test('a port in use', async () => {
    const { url } = await createTestDatabase('port');
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    for (const [variable, args] of [
      ['SANDBOX_PORT', ['sandbox']],
      ['PORT', ['service']],
    ] as const) {
      const { code, err } = await runCommand([...args], {
        DATABASE_URL: url,
        DATA_DIR: await newDataDir(),
        [variable]: String(port),
      });
      expect(err).toContain(`set ${variable} to`);
      expect(err).not.toMatch(/\n\s+at /);
      expect(code).toBe(1);
    }
  });

  test('a database that is down', async () => {
    const { code, err } = await runCommand(['start'], {
      DATABASE_URL: NOWHERE,
      DATA_DIR: await newDataDir(),
    });
    expect(err).toMatch(/database.*DATABASE_URL/is);
    expect(err).not.toMatch(/\n\s+at /);
    expect(code).toBe(1);
  });

  test('commands that end do without Slack what needs none, say that it is away, and do not wait', async () => {
    const { url } = await createTestDatabase('away');
    const [nobody = 0] = await freePorts(1);
    const environment = {
      DATABASE_URL: url,
      DATA_DIR: await newDataDir(),
      SLACK_BOT_TOKEN: 'xoxb-away',
      SLACK_APP_TOKEN: 'xapp-away',
      SLACK_API_URL: `http://127.0.0.1:${nobody}/api`,
    };
    const away = `127.0.0.1:${nobody} cannot be reached (ECONNREFUSED).`;
    const stored = `${away} Only what the bridge has stored is used.\n`;
    for (const [args, code, out, err] of [
      [['people'], 0, 'No Slack users yet.\n', stored],
      [['people', 'list', 'mira'], 0, 'No Slack users yet.\n', stored],
      [['people', 'bots', 'allow'], 0, 'Messages of other bots are forwarded to tickets.\n', stored],
      [['people', 'bots'], 0, 'Messages of other bots are forwarded to tickets.\n', stored],
      [['people', 'unlink', 'U1'], 1, '', `${stored}deskbridge cannot continue:\n  U1 is not linked.\n`],
      [['people', 'link', 'U1', 'mira@x.example'], 1, '', `deskbridge cannot continue:\n  ${away}\n`],
      [['reconcile'], 1, '', `deskbridge cannot continue:\n  ${away}\n`],
      [['rebuild'], 1, '', `deskbridge cannot continue:\n  ${away}\n`],
    ] as const)
      expect(await runCommand([...args], environment)).toMatchObject({ code, out, err });
  });

  test('the doctor and the start say what is wrong with the sign-in and what to do', async () => {
    const { url } = await createTestDatabase('sign-in');
    const [nobody = 0, port] = await freePorts(2);
    const issuer = `http://127.0.0.1:${nobody}/realm`;
    const environment = {
      DATABASE_URL: url,
      DATA_DIR: await newDataDir(),
      PORT: String(port),
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: 'desk',
      OIDC_CLIENT_SECRET: 'secret',
      SANDBOX_PORT: '0',
    };
    const says = `The provider of single sign-on cannot be read at ${issuer} (ECONNREFUSED).`;
    const fix = 'Check the issuer and that this machine reaches it.';
    const { out, code } = await runCommand(['doctor', '--json'], environment);
    const { findings } = JSON.parse(out) as { findings: unknown[] };
    expect(findings).toContainEqual({ id: 'sign-in.oidc', state: 'bad', says, fix });
    expect(code).toBe(1);
    const oidc = {
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: 'desk',
      OIDC_CLIENT_SECRET: 'secret',
    };
    const world = await startWorld(oidc);
    expect(await world.logLine(({ event }) => event === 'sign-in.problem')).toMatchObject({
      msg: `${says} ${fix}`,
    });
  });

  test('a key that the service rejects, and a token that Slack rejects', async () => {
    const world = await startWorld();
    const { url } = await createTestDatabase('refused');
    const [port] = await freePorts(1);
    const base = { DATABASE_URL: url, PORT: String(port) };
    const wrongKey = await runCommand(['bridge'], {
      ...base,
      SERVICE_URL: world.urls.api,
      SERVICE_API_TOKEN: 'a-key-that-nobody-made',
      SERVICE_WEBHOOK_SECRET: 'a-secret-of-more-than-24-characters',
      SLACK_BOT_TOKEN: 'xoxb-sandbox-deskbridge',
      SLACK_APP_TOKEN: 'xapp-sandbox-deskbridge',
      SLACK_API_URL: `${world.urls.sandbox}/api/`,
    });
    expect(wrongKey.err).toContain('The service refuses SERVICE_API_TOKEN (401)');
    expect(wrongKey.code).toBe(1);
    const wrongToken = await runCommand(['bridge'], {
      ...base,
      SERVICE_URL: world.urls.api,
      SERVICE_API_TOKEN: world.apiKey,
      SERVICE_WEBHOOK_SECRET: 'a-secret-of-more-than-24-characters',
      SLACK_BOT_TOKEN: 'xoxb-wrong',
      SLACK_APP_TOKEN: 'xapp-sandbox-deskbridge',
      SLACK_API_URL: `${world.urls.sandbox}/api/`,
    });
    expect(wrongToken.err).toContain('Slack refuses SLACK_BOT_TOKEN (invalid_auth)');
    expect(wrongToken.code).toBe(1);
  });
});

describe('help', () => {
  const Ways = /Usage\n((?: {2}deskbridge .+\n)+)\nOptions\n((?: {2}--.+\n)+)/;

  test.each(Object.entries(commands))(
    '%s --help shows every form of the command and every option',
    async (name, { options = {} }) => {
      const { out, err, code } = await runCommand([name, '--help'], {});
      const [, ways = '', shown = ''] = Ways.exec(out) ?? [];
      expect(
        ways
          .trimEnd()
          .split('\n')
          .map((way) => way.split(' ')[3]),
      ).toEqual(
        ways
          .trimEnd()
          .split('\n')
          .map(() => name),
      );
      expect([...shown.matchAll(/^ {2}--(\S+(?: <.+>)?) .*\S/gm)].map(([, option]) => option)).toEqual([
        ...Object.entries<CommandOption>(options).map(([option, about]) =>
          about.type === 'string' ? `${option} <${about.value}>` : option,
        ),
        'help',
      ]);
      expect([err, code]).toEqual(['', 0]);
    },
  );

  test('help lists every command, and shows a named one', async () => {
    const { out } = await runCommand(['help'], {});
    for (const name of Object.keys(commands)) expect(out).toMatch(new RegExp(`^ {2}${name} `, 'm'));
    expect((await runCommand(['help', 'keys'], {})).out).toBe((await runCommand(['keys', '--help'], {})).out);
  });

  test('help is shown even if a setting is invalid', async () => {
    expect(await runCommand(['start', '--help'], { PORT: 'not a port' })).toMatchObject({ code: 0, err: '' });
  });
});

describe('operation', () => {
  test('a new key works until it is revoked and is never listed; B10 people are linked by hand, listed and unlinked', async () => {
    const world = await startWorld();
    const made = await runCommand(['keys', 'create', 'reporting', '--role', 'read'], world.environment);
    const [token = ''] = made.out.split('\n');
    const users = () => fetch(`${world.urls.api}/users`, { headers: { 'x-service-api-token': token } });
    expect((await users()).status).toBe(200);
    const list = await runCommand(['keys', 'list'], world.environment);
    expect(list.out).not.toContain(token);
    const id =
      list.out
        .split('\n')
        .find((line) => line.includes('reporting'))
        ?.split('\t')[0] ?? '';
    // The running service gets a notification: by the time it would go on to know the key.
    world.clock.stop();
    expect((await runCommand(['keys', 'revoke', id], world.environment)).out).toContain('Revoked');
    await until('the key to be refused', async () => (await users()).status === 401);

    const people = (...args: string[]) => runCommand(['people', ...args], world.environment);
    const { sam, ada } = DEMO.people;
    expect(await people('link', ada.id, ada.email)).toMatchObject({ code: 0 });
    const user = await world.service.createUser({ body: { firstName: 'Sam', email: 'sam@desk.example' } });
    const linked = await people('link', sam.id, 'SAM@desk.example');
    expect(linked).toMatchObject({ code: 0, out: `${sam.id} is now linked to Sam.\n` });
    const { out } = await people('list', sam.id.toLowerCase());
    expect(out).toMatch(new RegExp(`^${sam.id}\\t.+\\t${user.id}\\tlinked by an admin\\t\n$`));
    expect(await people('unlink', sam.id)).toMatchObject({ code: 0 });
    const link = await people('sign-in-link', 'mira@acme.example');
    const [address = '', sentence] = link.out.split('\n');
    expect(address).toMatch(new RegExp(`^${world.urls.root}/auth/link\\?code=[\\w-]{43}$`));
    expect(sentence).toContain('in as admin, once, within ten minutes');
    expect(await (await fetch(address)).text()).toContain('Mira Lind (mira@acme.example)');
    const nobody = await people('sign-in-link', 'nobody@acme.example');
    expect([nobody.code, nobody.err]).toEqual([1, expect.stringContaining('Add `--role <role>`')]);

    const again = await people('unlink', sam.id);
    expect(again.err).toContain(`${sam.id} is not linked`);
    expect(again.code).toBeGreaterThan(0);
  });

  test('migrate brings an empty database up to date, and a second run changes nothing', async () => {
    const { url } = await createTestDatabase('migrate');
    for (let run = 0; run < 2; run++)
      expect((await runCommand(['migrate'], { DATABASE_URL: url })).code).toBe(0);
  });

  test('manifest prints the app’s manifest with the configured command', async () => {
    const { out, err, code } = await runCommand(['manifest'], { COMMAND: '/help-desk' });
    // The instructions are printed separately, so that the output alone can be pasted.
    for (const step of ['api.slack.com/apps', 'SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN', 'deskbridge doctor'])
      expect(err).toContain(step);
    expect(() => readManifest(out)).not.toThrow();
    expect(out).toContain('command: /help-desk');
    expect(out).toContain('socket_mode_enabled: true');
    expect(out).not.toContain('slack/events');
    expect(code).toBe(0);
  });

  test.each([
    ['a public name', 'https://desk.acme.example/', ['desk.acme.example']],
    ['an IP address', 'http://192.0.2.7:8080', undefined],
    ['a name of the local network', 'http://desk.local', undefined],
    ['missing', '', undefined],
  ])('B41 manifest registers the domain of links to tickets if PUBLIC_URL is %s', async (_, url, domains) => {
    const { out } = await runCommand(['manifest'], { PUBLIC_URL: url });
    const { features } = readManifest(out) as unknown as { features: { unfurl_domains?: string[] } };
    expect(features.unfurl_domains).toEqual(domains);
  });

  test('P10 manifest prints an app that workspaces install, and with --organisation one that organisations install, each with the events that end an installation', async () => {
    const keys = { SLACK_CLIENT_ID: 'a', SLACK_CLIENT_SECRET: 'b', SLACK_STATE_SECRET: 'c'.repeat(32) };
    const settings = { ...keys, SLACK_APP_TOKEN: 'xapp-1', PUBLIC_URL: 'https://desk.acme.example' };
    const read = async (args: string[]) =>
      readManifest((await runCommand(['manifest', ...args], settings)).out) as unknown as {
        oauth_config: { redirect_urls: string[] };
        settings: { event_subscriptions: { bot_events: string[] }; org_deploy_enabled: boolean };
      };
    const one = await read([]);
    expect(one.oauth_config.redirect_urls).toEqual([
      'https://desk.acme.example/slack/oauth_redirect',
      'https://desk.acme.example/auth/callback/slack',
    ]);
    const ends = ['app_uninstalled', 'tokens_revoked'];
    const access = ['team_access_granted', 'team_access_revoked'];
    const added = (text: typeof one, all: string[]) =>
      all.filter((event) => text.settings.event_subscriptions.bot_events.includes(event));
    expect([one.settings.org_deploy_enabled, added(one, [...ends, ...access])]).toEqual([false, ends]);
    const group = await read(['--organisation']);
    expect([group.settings.org_deploy_enabled, added(group, [...ends, ...access])]).toEqual([
      true,
      [...ends, ...access],
    ]);
    const without = await runCommand(['manifest', '--organisation'], {});
    expect(without.code).toBeGreaterThan(0);
    expect(without.err).toContain('SLACK_CLIENT_ID');
  });

  test.each([
    ['asked for', ['manifest', '--http'], {}],
    ['configured', ['manifest'], { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_SIGNING_SECRET: 'a-secret-of-slack' }],
  ])(
    'manifest prints one request URL for events, the command and interactions when HTTP is %s',
    async (_, args, environment) => {
      const { out, err, code } = await runCommand(args, {
        PUBLIC_URL: 'https://desk.example/',
        ...environment,
      });
      expect(code).toBe(0);
      expect(err).toContain('SLACK_SIGNING_SECRET');
      const read = readManifest(out) as unknown as {
        features: { slash_commands: unknown[] };
        settings: Record<string, unknown>;
      };
      const url = 'https://desk.example/slack/events';
      expect(read.features.slash_commands).toMatchObject([{ command: '/ticket', url, should_escape: true }]);
      expect(read.settings).toMatchObject({
        event_subscriptions: {
          request_url: url,
          bot_events: expect.arrayContaining(['app_mention']) as string[],
        },
        interactivity: { is_enabled: true, request_url: url },
        socket_mode_enabled: false,
      });
    },
  );

  test('the operator’s own module is loaded before anything else, for tracing', async () => {
    const NODE_OPTIONS = '--import=data:text/javascript,process.stderr.write(`loaded`)';
    const { code, err } = await runCli(['--version'], { NODE_OPTIONS });
    expect([code, err]).toEqual([0, 'loaded']);
  });

  test('SIGTERM ends all programs successfully and in time', async () => {
    const world = await startProcess();
    expect(await world.stop()).toBe(0);
    expect(world.log.at(-1)?.msg).not.toMatch(/not everything stopped/);
  });
});
