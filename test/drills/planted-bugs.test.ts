import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';

import { checkHistory } from '../harness/history.ts';
import { historyOf } from '../harness/history-of.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { BY_THE_CLOCK, startProcess, startWorld } from '../harness/world.ts';
import { drawn } from './drill.ts';
import type { Patch } from './harness/patch.ts';
import { patchedLauncher } from './harness/patched.ts';
import { type Bug, BUGS, CHANNEL, type Stage } from './planted-bugs.ts';
import { bridgeSettings } from '../harness/bridge-settings.ts';

const chosen = drawn(Object.entries(BUGS), 3);

describe('the history checker', () => {
  test('finds nothing without a planted bug', async () => {
    const stories = chosen.map(([, { story }]) => story);
    expect(await violationsAfter(stories, [])).toEqual([]);
  });

  test.each(chosen)('finds %s', async (_, { patch, story, finds, postsPerSecond }) => {
    expect(await violationsAfter([story], [patch], postsPerSecond)).toContainEqual(
      expect.objectContaining({ kind: finds.kind, of: expect.stringMatching(finds.of) as string }),
    );
  });
});

/**
 * Runs these stories, each in its own conversation, on a bridge with these patches; resolves to the
 * violations.
 */
async function violationsAfter(
  stories: readonly Bug['story'][],
  patches: readonly Patch[],
  postsPerSecond = 2,
) {
  const base = await startWorld({ ALLOW_PRIVATE_WEBHOOKS: 'true' }, ['service', '--demo']);
  const sandbox = await base.startAlongside(['sandbox']);
  const bridge = await startProcess(
    {
      SERVICE_URL: base.urls.api,
      ...bridgeSettings(sandbox.urls.sandbox),
      CHAT_POSTS_PER_SECOND: String(postsPerSecond),
    },
    ['bridge'],
    // Without a patch, the checkout's own launcher, which is built already.
    patches.length > 0 ? await patchedLauncher(patches) : undefined,
  );
  const { service } = base;
  const { chat } = sandbox;
  const databases = {
    bridge: await connected(bridge.environment),
    service: await connected(base.environment),
  };
  const jobsOf = async (module: 'bridge' | 'service') => {
    // Without the outbox: a bug may leave a row there that is never sent.
    const { rows } = await databases[module].query<object>(
      module === 'service'
        ? `select * from service.work where done_at is null and dead_at is null`
        : `select * from bridge.work
          where done_at is null and dead_at is null and kind not in (${BY_THE_CLOCK})`,
    );
    return rows;
  };
  const jobs = async () => [...(await jobsOf('service')), ...(await jobsOf('bridge'))];
  // On a busy machine the bridge may not yet have listened at the first tries of a delivery, and the next one comes minutes
  // later.
  const deliverNow = () =>
    databases.service.query(
      `with retries as (
        update service.work set not_before = now() where kind = 'retry' and done_at is null and not_before > now()
        returning lane)
      update service.lane set wake_at = now() from retries where key = retries.lane`,
    );
  const isSettled = async () => {
    if ((await jobs()).length === 0) return true;
    await deliverNow();
    return false;
  };
  const settled = async () => {
    // The end of a job may have started work in the other module.
    await until('all jobs to be done', async () => (await isSettled()) && (await isSettled()), {
      seen: jobs,
    });
  };
  for (const story of stories) {
    const mention = `<@${(await chat.state()).bot}>`;
    const { ts: root } = await chat.say(CHANNEL, 'ada', `${mention} my laptop does not start`);
    const { id: ticketId } = await ticketAt(service, root);
    await settled();
    await story({ service, chat, bridge, database: databases.bridge, root, ticketId, settled });
    await goOn({ service, chat, root, ticketId });
    await settled();
    await chat.post('clear-faults', {});
  }
  const { chat: inChat, tickets } = await historyOf({ chat, service, environment: bridge.environment });
  return checkHistory(inChat, tickets);
}

/** Waits for the last message in each direction, behind which everything else has crossed. */
async function goOn({
  chat,
  service,
  root,
  ticketId,
}: Pick<Stage, 'chat' | 'service' | 'root' | 'ticketId'>) {
  const said = await chat.say(CHANNEL, 'ada', 'the last reply', root);
  await service.createTicketMessage({ body: { ticketId, content: 'the last answer' } });
  await until('the last reply on the ticket', async () =>
    (await service.listTicketMessages({ query: { ticketId } })).items.some(({ chatMessages }) =>
      chatMessages.some(({ ts }) => ts === said.ts),
    ),
  );
  await until('the last answer in chat', async () =>
    (await chat.thread(CHANNEL, root)).some(({ text }) => text === 'the last answer'),
  );
}

async function connected(environment: Record<string, string>): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: environment['DATABASE_URL'] });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}
