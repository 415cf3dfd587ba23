import { describe, expect, test } from 'vitest';

import { ConfigError, credentialsOf, readConfig } from '../src/start/config.ts';
import { signInProviders } from '../src/start/sign-in.ts';

const complaint = (environment: Record<string, string>) => {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return '';
};

/** The credentials of an app that workspaces install. */
const APP = {
  SLACK_CLIENT_ID: '1.2',
  SLACK_CLIENT_SECRET: 'c',
  SLACK_STATE_SECRET: 's'.repeat(32),
  SLACK_APP_TOKEN: 'xapp-1',
};

describe('configuration', () => {
  test('without configuration, everything runs in this process', () => {
    expect(readConfig({})).toMatchObject({
      embeddedService: true,
      sandbox: true,
      PORT: 8080,
      SANDBOX_PORT: 3000,
      COMMAND: '/ticket',
    });
  });

  test('the sandbox listens on localhost unless SANDBOX_HOST is set, and can be switched off', () => {
    expect(readConfig({ HOST: '0.0.0.0' })).toMatchObject({ sandbox: true, SANDBOX_HOST: '127.0.0.1' });
    expect(readConfig({ SANDBOX_HOST: '0.0.0.0' })).toMatchObject({ SANDBOX_HOST: '0.0.0.0' });
    expect(readConfig({ SANDBOX: 'off' })).toMatchObject({ sandbox: false });
  });

  test('an empty value counts as unset', () => {
    expect(readConfig({ PORT: '', SLACK_BOT_TOKEN: '' })).toMatchObject({ PORT: 8080, sandbox: true });
  });

  test.each([
    [{ PORT: 'eighty' }, 'PORT must be a port number'],
    [{ PORT: '70000' }, 'PORT must be from 1 to 65535'],
    [{ PORT: '0' }, 'PORT must be from 1 to 65535'],
    [{ SANDBOX_PORT: '70000' }, 'SANDBOX_PORT must be from 0 to 65535'],
    [{ DATABASE_URL: 'mysql://x' }, 'DATABASE_URL must start with postgres://'],
    [{ SLACK_BOT_TOKEN: 'xoxp-1', SLACK_APP_TOKEN: 'xapp-1' }, 'SLACK_BOT_TOKEN must start with xoxb-'],
    [{ SLACK_BOT_TOKEN: 'xoxb-1' }, 'SLACK_APP_TOKEN is missing'],
    [{ SLACK_APP_TOKEN: 'xapp-1' }, 'SLACK_BOT_TOKEN is missing'],
    [
      { SLACK_CLIENT_ID: '1.2', SLACK_CLIENT_SECRET: 'c', SLACK_APP_TOKEN: 'xapp-1' },
      'SLACK_STATE_SECRET is missing',
    ],
    [{ ...APP, SLACK_BOT_TOKEN: 'xoxb-1' }, 'SLACK_BOT_TOKEN and SLACK_STATE_SECRET exclude each other'],
    [{ SLACK_BOT_TOKEN: 'xoxb-1', SLACK_CLIENT_ID: '1.2' }, 'SLACK_CLIENT_SECRET is missing'],
    [{ OIDC_ISSUER: 'https://id.example' }, 'OIDC_CLIENT_ID is missing'],
    [{ OIDC_ISSUER: 'http://id.example' }, 'OIDC_ISSUER must start with https://'],
    [{ OIDC_ISSUE: 'x' }, 'did you mean OIDC_ISSUER?'],
    [{ TRUSTED_PROXIES: '-1' }, 'TRUSTED_PROXIES must be at least 0'],
    [{ ...APP, DATABASE_URL: 'postgres://db' }, 'TOKEN_ENCRYPTION_KEY is missing'],
    [{ SLACK_SIGNING_SECRET: 'a-secret-of-slack' }, 'SLACK_BOT_TOKEN is missing'],
    [
      { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_SIGNING_SECRET: 'short' },
      'SLACK_SIGNING_SECRET must have 16 or more',
    ],
    [{ SANDBOX_TRANSPORT: 'pigeon' }, 'SANDBOX_TRANSPORT must be socket or http'],
    [{ SERVICE_URL: 'http://desk.example/api' }, 'SERVICE_API_TOKEN is missing'],
    [{ SERVICE_API_TOKEN: 'short' }, 'SERVICE_API_TOKEN must have 16 or more'],
    [{ COMMAND: 'ticket' }, 'COMMAND must be a slash command'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be one of'],
    [
      { SLACK_BOT_TOKE: 'xoxb-1' },
      'SLACK_BOT_TOKE is not a setting of deskbridge (did you mean SLACK_BOT_TOKEN?)',
    ],
    [{ SERVICE_TOKEN: 'x' }, 'SERVICE_TOKEN is not a setting'],
    [{ TOKEN_ENCRYPTION_KEY: 'short' }, 'TOKEN_ENCRYPTION_KEY must be 32 bytes in base64'],
    [{ TOKEN_ENCRYPTION_KEY: `!!${'A'.repeat(43)}` }, 'TOKEN_ENCRYPTION_KEY must be 32 bytes in base64'],
    [{ TOKEN_ENCRYPTION_KEY: `${'A'.repeat(43)}=,` }, 'TOKEN_ENCRYPTION_KEY must be 32 bytes in base64'],
    [
      { SERVICE_WEBHOOK_SECRET: `whsec_${'!'.repeat(30)}` },
      'SERVICE_WEBHOOK_SECRET must have base64 of at least 16 bytes after whsec_',
    ],
    [
      { SERVICE_WEBHOOK_SECRET: `whsec_YWJj${' '.repeat(30)}` },
      'SERVICE_WEBHOOK_SECRET must have 24 or more',
    ],
    [{ PORT: '3000' }, 'PORT and SANDBOX_PORT are both 3000'],
    [{ PORT: '8123', SANDBOX_PORT: '8123' }, 'PORT and SANDBOX_PORT are both 8123'],
  ])('%j ends the start with a helpful sentence', (environment, sentence) => {
    expect(complaint(environment as unknown as Record<string, string>)).toContain(sentence);
  });

  test('blanks around a value, as they come from copying and from files, are cut off', () => {
    const key = Buffer.alloc(32, 1).toString('base64');
    const config = readConfig({
      PORT: ' 8081\n',
      SERVICE_API_TOKEN: '\ta-token-of-the-operator \r\n',
      TOKEN_ENCRYPTION_KEY: ` ${key} , ${key}\n`,
      PUBLIC_URL: ' ',
    });
    expect(config).toMatchObject({ PORT: 8081, SERVICE_API_TOKEN: 'a-token-of-the-operator' });
    expect(config.TOKEN_ENCRYPTION_KEY).toEqual([Buffer.alloc(32, 1), Buffer.alloc(32, 1)]);
    expect(config.PUBLIC_URL).toBeUndefined();
  });

  test('two ports that never listen together may be the same', () => {
    for (const more of [{ SANDBOX: 'off' }, { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_APP_TOKEN: 'xapp-1' }])
      expect(readConfig({ PORT: '3000', ...more })).toMatchObject({ PORT: 3000 });
    expect(readConfig({ PORT: '3000', SANDBOX_PORT: '0' })).toMatchObject({ SANDBOX_PORT: 0 });
  });

  test('one workspace with a bot token may sign people in with Slack', () => {
    const { SLACK_STATE_SECRET: _, ...app } = APP;
    const config = readConfig({ ...app, SLACK_BOT_TOKEN: 'xoxb-1', DATABASE_URL: 'postgres://db' });
    expect(credentialsOf(config)).toBeUndefined();
    expect(signInProviders(config, undefined)).toMatchObject([{ id: 'slack', issuer: 'https://slack.com' }]);
  });

  test('the sandbox signs people in only while everything is on this machine', () => {
    const provided = (environment: Record<string, string>, url = 'http://127.0.0.1:3000') =>
      signInProviders(readConfig(environment), url).map(({ id }) => id);
    expect(provided({})).toEqual(['sandbox']);
    expect(provided({ PUBLIC_URL: 'http://localhost:8080' })).toEqual(['sandbox']);
    for (const reachable of [
      { HOST: '0.0.0.0' },
      { HOST: '::' },
      { SANDBOX_HOST: '0.0.0.0' },
      { SANDBOX_HOST: '192.168.0.7' },
      { PUBLIC_URL: 'https://desk.example' },
      { PUBLIC_URL: 'http://localhost.evil.example' },
      { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_APP_TOKEN: 'xapp-1' },
    ])
      expect([reachable, provided(reachable as unknown as Record<string, string>)]).toEqual([reachable, []]);
    expect(signInProviders(readConfig({}), undefined)).toEqual([]);
  });

  test('all errors are reported at once, one per line', () => {
    expect(complaint({ PORT: 'x', LOG_LEVEL: 'y', SLACK_FOO: 'z' }).split('\n')).toHaveLength(3);
  });

  test('variables of other programs are ignored', () => {
    expect(complaint({ PATH: '/bin', HOME: '/', KUBERNETES_SERVICE_HOST: '10.0.0.1' })).toBe('');
  });
});
