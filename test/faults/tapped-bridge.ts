import pg from 'pg';
import { onTestFinished } from 'vitest';

import { DEMO } from '../../src/demo.ts';
import { startTap, type TapPoint } from '../harness/tap.ts';
import { until } from '../harness/until.ts';
import { startWorld, type World } from '../harness/world.ts';

/** Service, sandbox and bridge, each a process; whatever the bridge says or is told goes through a tap. */
export interface TappedBridge {
  service: World['service'];
  chat: World['chat'];
  bridge: World;
  /** Ends the bridge with SIGKILL at the nth step from now on; resolves with that step, or undefined after `unarm`. */
  killAtStep(n: number): { done: Promise<TapPoint | undefined>; unarm: () => void };
  /** Steps passed so far. */
  steps(): number;
  /** Waits until the bridge has nothing left to do. */
  idle(): Promise<void>;
  /** The same for all three, once every repetition has come. */
  quiet(): Promise<void>;
}

export async function startTappedBridge(): Promise<TappedBridge> {
  const base = await startWorld({ ALLOW_PRIVATE_WEBHOOKS: 'true' }, ['service', '--demo']);
  const sandbox = await base.beside(['sandbox']);
  let passed = 0;
  let armed: { left: number; resolve: (point: TapPoint | undefined) => void } | undefined;
  const programs: { bridge?: World } = {};
  const at = async (point: TapPoint): Promise<'go on' | 'drop'> => {
    passed += 1;
    const { bridge } = programs;
    if (!armed || !bridge || --armed.left > 0) return 'go on';
    const { resolve } = armed;
    armed = undefined;
    await bridge.kill();
    resolve(point);
    return 'drop';
  };
  const door = await startTap('door', '', at);
  const api = await startTap('service', base.urls.root, at);
  const web = await startTap('chat', sandbox.urls.sandbox, at);
  const bridge = await base.beside(['bridge'], {
    SERVICE_URL: `${api.url}/api`,
    SERVICE_WEBHOOK_SECRET: 'a-webhook-secret-of-the-fault-tests',
    SLACK_API_URL: `${web.url}/api`,
    SLACK_BOT_TOKEN: DEMO.app.botToken,
    SLACK_SIGNING_SECRET: DEMO.app.signingSecret,
    PUBLIC_URL: door.url,
    RECONCILE_EVERY_SECONDS: '2',
    CHAT_READS_PER_MINUTE: '6000',
  });
  door.target = bridge.urls.root;
  programs.bridge = bridge;
  await sandbox.chat.post('app', { requestUrl: `${door.url}/slack/events` });

  const database = new pg.Client({ connectionString: base.environment['DATABASE_URL'] ?? '' });
  await database.connect();
  onTestFinished(() => database.end());
  const waiting = async () => {
    const { rows } = await database.query<{ open: string }>(`select
      (select count(*) from bridge.outbox where state in ('planned', 'sending')) +
      (select count(*) from bridge.inbox where done_at is null) +
      (select count(*) from bridge.job where state <> 'parked' and queue <> 'reconcile') as open`);
    return Number(rows[0]?.open);
  };
  return {
    service: base.service,
    chat: sandbox.chat,
    bridge,
    killAtStep: (n) => {
      const { promise: done, resolve } = Promise.withResolvers<TapPoint | undefined>();
      armed = { left: n, resolve };
      return {
        done,
        unarm: () => {
          if (armed?.resolve !== resolve) return;
          armed = undefined;
          resolve(undefined);
        },
      };
    },
    steps: () => passed,
    idle: () =>
      until('the bridge to be idle', async () => (await waiting()) === 0, {
        withinMs: 90_000,
        seen: waiting,
      }).then(() => undefined),
    quiet: () => base.quiet(),
  };
}
