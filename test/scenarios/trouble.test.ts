import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';

import { DEMO } from '../../src/start/demo.ts';
import { expireAttempt } from '../harness/expire-attempt.ts';
import { makeDue } from '../harness/make-due.ts';
import { runCommand } from '../harness/run-command.ts';
import { bridgeSettings } from '../harness/bridge-settings.ts';
import { startTap } from '../harness/tap.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { sharedWorld, startProcess, startWorld, type World } from '../harness/world.ts';

const CHANNEL = 'it-help';
const world = sharedWorld();

async function open(world: World, words = 'trouble ahead'): Promise<{ root: string; id: string }> {
  const { bot } = await world.chat.state();
  const { ts } = await world.chat.say(CHANNEL, 'ada', `<@${bot}> ${words}`);
  const ticket = await ticketAt(world.service, ts);
  await world.untilIdle();
  return { root: ts, id: ticket.id };
}

const answersIn = async ({ chat }: World, root: string) =>
  (await chat.thread(CHANNEL, root)).map(({ text }) => text).filter((text) => text.startsWith('answer'));
const answer = (world: World, id: string, n: number) =>
  world.service.createTicketMessage({ body: { ticketId: id, content: `answer ${n}` } });

describe('failures of Slack', () => {
  test('B51 a post whose response is lost is looked up before it is repeated: it is there once, in its place', async () => {
    const begun = world.log.length;
    const { root, id } = await open(world);
    await world.chat.post('faults', {
      faults: [{ method: 'chat.postMessage', kind: 'answer_lost', times: 2, after: 1 }],
    });
    for (let n = 1; n <= 4; n++) await answer(world, id, n);
    await world.untilIdle();
    expect(await answersIn(world, root)).toEqual(['answer 1', 'answer 2', 'answer 3', 'answer 4']);
    const looked = world.log.slice(begun).filter(({ event }) => event === 'outbox.uncertain');
    expect(looked.map(({ found }) => found)).toEqual([true, true]);
  });

  test('B48 a rate limit, a cut connection and a broken server delay posts and keep their order', async () => {
    const { root, id } = await open(world);
    await world.chat.post('faults', {
      faults: [
        { method: 'chat.postMessage', kind: 'rate_limited', retryAfter: 1, times: 2 },
        { method: 'chat.postMessage', kind: 'cut', times: 1 },
      ],
    });
    for (let n = 1; n <= 3; n++) await answer(world, id, n);
    await expireAttempt(world);
    await world.untilIdle();
    expect(await answersIn(world, root)).toEqual(['answer 1', 'answer 2', 'answer 3']);
  });

  test('B48 a web page, or half a response, makes no dead letter: the post is looked up and is there once, in its place', async () => {
    const { root, id } = await open(world);
    await world.chat.post('faults', {
      faults: [
        { method: 'chat.postMessage', kind: 'html', worked: true },
        { method: 'chat.postMessage', kind: 'half_answer' },
        { method: 'chat.postMessage', kind: 'html' },
      ],
    });
    for (let n = 1; n <= 3; n++) await answer(world, id, n);
    await expireAttempt(world);
    await world.untilIdle();
    expect(await answersIn(world, root)).toEqual(['answer 1', 'answer 2', 'answer 3']);
    expect((await runCommand(['dead-letters', 'list'], world.environment)).out).toContain('No dead letters.');
  });

  test('B49 B20 a post or edit whose blocks Slack rejects is sent as text only', async () => {
    const { root, id } = await open(world);
    const refuse = (method: string) =>
      world.chat.post('faults', { faults: [{ method, kind: 'error', error: 'invalid_blocks', times: 1 }] });
    await refuse('chat.postMessage');
    const { id: first } = await answer(world, id, 1);
    await answer(world, id, 2);
    await world.untilIdle();
    expect(await answersIn(world, root)).toEqual(['answer 1', 'answer 2']);
    await refuse('chat.update');
    await world.service.updateTicketMessage({ params: { id: first }, body: { content: 'answer once' } });
    await world.untilIdle();
    expect(await answersIn(world, root)).toEqual(['answer once', 'answer 2']);
    const refused = world.log.filter(({ event }) => event === 'chat.blocks_refused');
    expect(refused.map(({ method }) => method)).toEqual(['chat.postMessage', 'chat.update']);
    expect((await runCommand(['dead-letters', 'list'], world.environment)).out).toContain('No dead letters.');
  });

  test('B49 a post that can never succeed becomes a dead letter with its reason, the thread continues, and it is retried by hand', async () => {
    const { root, id } = await open(world);
    const { id: channel } = DEMO.channels.itHelp;
    await world.chat.post('faults', {
      // Not the copy in the team's thread, which may be posted first.
      faults: [{ method: 'chat.postMessage', channel, kind: 'error', error: 'restricted_action', times: 1 }],
    });
    await answer(world, id, 1);
    await answer(world, id, 2);
    await world.untilIdle();
    expect(await answersIn(world, root)).toEqual(['answer 2']);
    const list = await runCommand(['dead-letters', 'list'], world.environment);
    expect(list.out).toContain('chat.postMessage: restricted_action');
    expect(list.out).toContain('1 dead letters.');
    const retried = await runCommand(['dead-letters', 'retry', 'all'], world.environment);
    expect(retried.out).toContain('1 will be retried');
    await world.untilIdle();
    expect((await answersIn(world, root)).sort()).toEqual(['answer 1', 'answer 2']);
  });
});

describe('failures of the connection to Slack', () => {
  test('B52 a process that still waits for Slack, or has lost it, ends when it is stopped', async () => {
    const world = await startProcess();
    await world.chat.post('faults', {
      faults: [{ method: 'apps.connections.open', kind: 'error', error: 'invalid_auth', times: 1000 }],
    });
    await world.chat.post('disconnect', { reason: 'cut' });
    await until('the loss to be noticed', async () =>
      world.log.some(({ event }) => event === 'chat.unreachable'),
    );
    expect((await world.service.listWorkspaces({})).items).toHaveLength(1);
    expect(await world.stop()).toBe(0);
  });

  test('an ended connection is restored, and the messages sent meanwhile arrive', async () => {
    const { root, id } = await open(world);
    await world.chat.post('disconnect', { reason: 'refresh_requested' });
    await world.chat.say(CHANNEL, 'ada', 'still there?', root);
    await world.untilIdle();
    const { items } = await world.service.listTicketMessages({ query: { ticketId: id } });
    expect(items.map(({ content }) => content)).toEqual(['still there?']);
  });
});

describe('failures of the service', () => {
  test('B47 while it is down everything waits in order, the user of a command gets a notice, and nothing is lost or doubled', async () => {
    const base = await startWorld({ ALLOW_PRIVATE_WEBHOOKS: 'true' }, ['service', '--demo']);
    const bridge = await base.startAlongside(['start']);
    const { root, id } = await open(bridge);
    const { bot } = await bridge.chat.state();
    await base.stop();
    for (let n = 1; n <= 3; n++) await bridge.chat.say(CHANNEL, 'ada', `question ${n}`, root);
    const typedFrom = Date.now();
    await bridge.chat.command(CHANNEL, 'mira', 'status IT-1 done');
    await bridge.chat.command(CHANNEL, 'sam', 'snooze IT-135 in 2 hours');
    const due = await bridge.chat.say(CHANNEL, 'sam', `<@${bot}> due in 3 hours`, root);
    for (const user of ['mira', 'sam'])
      await until(`the notice to ${user}`, async () =>
        (await bridge.chat.ephemeral(CHANNEL, user))?.text.includes('The help desk is unavailable'),
      );
    const typedUntil = Date.now();
    await base.restart();
    await until('Mira’s command to run', async () =>
      (await bridge.chat.ephemeral(CHANNEL, 'mira'))?.text.includes('Done'),
    );
    await bridge.untilIdle();
    const { items } = await base.service.listTicketMessages({ query: { ticketId: id } });
    expect(items.map(({ content }) => content)).toEqual(['question 1', 'question 2', 'question 3']);
    // B33 A time is relative to when it was typed, however much later it is processed.
    const hours = (count: number) => count * 3_600_000;
    const slept = await base.service.readTicket({ params: { id: 'IT-135' } });
    const typed = Date.parse(slept.snoozeUntil ?? '') - hours(2);
    expect(typed).toBeGreaterThan(typedFrom - 1_000);
    expect(typed).toBeLessThanOrEqual(typedUntil);
    const { dueAt } = await base.service.readTicket({ params: { id } });
    expect(Math.abs(Date.parse(dueAt ?? '') - hours(3) - Number(due.ts) * 1000)).toBeLessThan(1_000);
  });

  test('B47 while a proxy answers 404 in its place nothing counts as gone: deletions, messages and posts wait', async () => {
    const base = await startWorld({ ALLOW_PRIVATE_WEBHOOKS: 'true' }, ['service', '--demo']);
    let isAway = false;
    const DELETION = 'DELETE /api/ticket-messages';
    const refused = new Set<string>();
    const tap = await startTap('service', base.urls.root, async ({ request, when }) => {
      if (!isAway || when !== 'arrived') return 'go on';
      refused.add(request.split('/', 3).join('/'));
      return 'lack';
    });
    const { chat, urls } = await base.startAlongside(['sandbox']);
    const bridge = await base.startAlongside(['bridge'], {
      SERVICE_URL: `${tap.url}/api`,
      ...bridgeSettings(urls.sandbox),
    });
    const { bot } = await chat.state();
    const root = await chat.say(CHANNEL, 'ada', `<@${bot}> behind a proxy`);
    const { id } = await ticketAt(base.service, root.ts);
    const secret = await chat.say(CHANNEL, 'ada', 'my password', root.ts);
    const contents = async () =>
      (await base.service.listTicketMessages({ query: { ticketId: id } })).items
        .filter(({ deleted }) => !deleted)
        .map(({ content }) => content);
    await until('the reply', async () => (await contents()).includes('my password'));
    await bridge.untilIdle();

    isAway = true;
    await chat.remove(CHANNEL, 'ada', secret.ts);
    await chat.say(CHANNEL, 'ada', 'a question', root.ts);
    const other = await chat.say(CHANNEL, 'ada', `<@${bot}> another request`);
    await until(
      'both lanes to be answered by the proxy',
      async () => refused.has(DELETION) && refused.size > 1,
      {
        seen: async () => [...refused],
      },
    );
    isAway = false;
    await ticketAt(base.service, other.ts);
    await bridge.untilIdle();
    expect(await contents()).toEqual(['a question']);
    const letters = await runCommand(['dead-letters', 'list'], bridge.environment);
    expect(letters.out).toContain('No dead letters.');
  });
});

describe('failures of the service at one message', () => {
  test('B49 a change at which the service always fails becomes a dead letter once others cross: its thread goes on, its author is told, and it is retried by hand', async () => {
    const base = await startWorld({ ALLOW_PRIVATE_WEBHOOKS: 'true' }, ['service', '--demo']);
    let poisoned: string | undefined;
    const tap = await startTap('service', base.urls.root, async ({ request, when }) =>
      when === 'arrived' &&
      poisoned !== undefined &&
      /^P(UT|ATCH) /.test(request) &&
      request.endsWith(poisoned)
        ? 'fail'
        : 'go on',
    );
    const world = await base.startAlongside(['start'], {
      SERVICE_URL: `${tap.url}/api`,
      CHAT_WAITING_SECONDS: '1',
    });
    const { chat } = world;
    const contents = async (ticketId: string) =>
      (await base.service.listTicketMessages({ query: { ticketId } })).items.map(({ content }) => content);
    const stuck = await open(world, 'the edit fails');
    const other = await open(world, 'another matter');
    const { ts } = await chat.say(CHANNEL, 'ada', 'frist', stuck.root);
    await world.untilIdle();
    const { items } = await base.service.listTicketMessages({ query: { ticketId: stuck.id } });
    poisoned = `/${items[0]?.id ?? ''}`;

    await chat.edit(CHANNEL, 'ada', ts, 'first');
    await chat.say(CHANNEL, 'ada', 'behind it', stuck.root);
    const crossing: string[] = [];
    const database = new pg.Client({ connectionString: world.environment['DATABASE_URL'] });
    await database.connect();
    onTestFinished(() => database.end());
    await until('what is behind it', async () => {
      if ((await contents(stuck.id)).includes('behind it')) return true;
      const words = `this crosses ${crossing.length}`;
      crossing.push(words);
      await chat.say(CHANNEL, 'ben', words, other.root);
      await until('another message', async () => (await contents(other.id)).includes(words));
      // Not while its lane is being worked.
      await makeDue(
        database,
        `kind = 'event' and error is not null and not_before > now()
          and lane in (select key from bridge.lane where wake_at > now() for update skip locked)`,
      );
      return false;
    });
    expect(await contents(stuck.id)).toEqual(['frist', 'behind it']);
    expect(await contents(other.id)).toEqual(crossing);
    await until('the notice to its author', async () =>
      (await chat.messages('@deskbridge', 'ada')).some(({ text }) =>
        text.includes('The help desk fails at it.'),
      ),
    );
    poisoned = undefined;
    const retried = await runCommand(['dead-letters', 'retry', 'all'], world.environment);
    expect(retried.out).toContain('1 will be retried');
    await until('the edit', async () => (await contents(stuck.id)).includes('first'));
  });
});
