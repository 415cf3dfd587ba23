import { describe, expect, test } from 'vitest';

import { DEMO } from '../../src/start/demo.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { runCli, startProcess, type World } from '../harness/world.ts';
import { LONG } from './drill.ts';

const CHANNEL = 'it-help';
/** The requester's thread only: the team's thread has a copy of each answer, which might be posted first. */
const POSTS = { method: 'chat.postMessage', channel: DEMO.channels.itHelp.id };
/**
 * Errors of the whole app, after which a call is retried half a minute later; the long run tries all of them.
 */
const LASTING = ['token_revoked', ...(LONG ? ['invalid_auth', 'account_inactive'] : [])];

async function open(world: World): Promise<{ root: string; id: string; channel: string }> {
  const { bot, channels } = await world.chat.state();
  const { ts } = await world.chat.say(CHANNEL, 'ada', `<@${bot}> the printer is on fire`);
  const ticket = await ticketAt(world.service, ts);
  await world.untilIdle();
  return { root: ts, id: ticket.id, channel: channels[CHANNEL] ?? '' };
}

const answer = ({ service }: World, ticketId: string, content: string) =>
  service.createTicketMessage({ body: { ticketId, content } });
const answersIn = async ({ chat }: World, root: string) =>
  (await chat.thread(CHANNEL, root)).map(({ text }) => text).filter((text) => text.startsWith('answer'));

/** How often chat was asked to post this text. */
async function tries({ urls, chat }: World, text: string): Promise<number> {
  const { channels } = await chat.state();
  const seen = await fetch(`${urls.sandbox}/_control/calls?method=chat.postMessage&limit=1000`);
  const { calls } = (await seen.json()) as { calls: unknown[] };
  // The team's thread has a copy of the post.
  const isTry = (call: string) => call.includes(text) && call.includes(`"${channels[CHANNEL] ?? ''}"`);
  return calls.filter((call) => isTry(JSON.stringify(call))).length;
}

describe('permanent errors of Slack', () => {
  test('F6 a post with a permanent error becomes a dead letter at once with its reason, is tried only once, and the thread continues', async () => {
    const world = await startProcess({ RECONCILE_EVERY_SECONDS: '3600' });
    const { root, id } = await open(world);
    const errors = [
      'channel_not_found',
      'is_archived',
      'not_in_channel',
      'msg_too_long',
      'restricted_action',
    ];
    for (const error of errors) {
      await world.chat.post('faults', { ...POSTS, kind: 'error', error, times: 1 });
      await answer(world, id, `answer that meets ${error}`);
      await world.untilIdle();
      expect([error, await tries(world, `answer that meets ${error}`)]).toEqual([error, 1]);
    }
    await answer(world, id, 'answer after all of them');
    await world.untilIdle();
    expect(await answersIn(world, root)).toEqual(['answer after all of them']);
    const { out } = await runCli(['dead-letters', 'list'], world.environment);
    for (const error of errors) expect(out).toContain(`chat.postMessage: ${error}`);
  });

  test('F6 a post whose response takes thirty seconds times out after ten: it is looked up, is in chat once, and the thread continues in order', async () => {
    const world = await startProcess({ RECONCILE_EVERY_SECONDS: '3600' });
    const { root, id } = await open(world);
    const slow = { ...POSTS, kind: 'slow', ms: 30_000, worked: true, times: 1 };
    await world.chat.post('faults', slow);
    await answer(world, id, 'answer that takes long');
    await answer(world, id, 'answer behind it');
    await until(
      'both answers to be in the thread',
      async () => (await answersIn(world, root)).length > 1,
      {},
    );
    await world.untilIdle();
    expect(await answersIn(world, root)).toEqual(['answer that takes long', 'answer behind it']);
    expect(world.log.filter(({ event }) => event === 'outbox.uncertain')).toMatchObject([{ found: true }]);
  });

  test.each([
    ['F16 the app is removed from the channel', 'kick', { user: 'ada', member: 'deskbridge' }, 'invite'],
    ['F16 the channel is archived', 'archive', { archived: true }, 'archive'],
  ])(
    '%s: a post there becomes a dead letter with its reason and is tried only once, other channels continue, and it is posted after an admin fixed it',
    async (_, operation, body, undo) => {
      const world = await startProcess({ RECONCILE_EVERY_SECONDS: '3600' });
      const { root, id, channel } = await open(world);
      await world.chat.post(operation, { channel, ...body });
      await answer(world, id, 'answer to nowhere');
      const list = () => runCli(['dead-letters', 'list'], world.environment);
      await until(
        'the post to become a dead letter',
        async () => (await list()).out.includes('chat.postMessage: '),
        {},
      );
      await world.untilBridgeIdle();
      expect(await tries(world, 'answer to nowhere')).toBe(1);
      const { bot } = await world.chat.state();
      const other = await world.chat.say('people-help', 'ada', `<@${bot}> and here?`);
      await ticketAt(world.service, other.ts);
      await world.chat.post(undo, {
        channel,
        ...(undo === 'archive' ? { archived: false } : { user: 'ada', member: 'deskbridge' }),
      });
      await runCli(['dead-letters', 'retry', 'all'], world.environment);
      await world.untilBridgeIdle();
      expect(await answersIn(world, root)).toEqual(['answer to nowhere']);
    },
  );
});

describe('errors that an admin has to fix', () => {
  test.each(LASTING)(
    'F16 while Slack answers %s nothing becomes a dead letter, calls are not repeated over and over, and everything continues once it is fixed',
    async (error) => {
      const world = await startProcess({ RECONCILE_EVERY_SECONDS: '3600' });
      const { root, id } = await open(world);
      await world.chat.post('faults', { ...POSTS, kind: 'error', error, times: 1 });
      await answer(world, id, 'answer 1');
      await answer(world, id, 'answer 2');
      await until('it to be refused', async () => (await tries(world, 'answer 1')) > 0);
      expect((await runCli(['dead-letters', 'list'], world.environment)).out).not.toContain('postMessage');
      await until(
        'both answers to be in the thread',
        async () => (await answersIn(world, root)).length === 2,
        {},
      );
      expect(await answersIn(world, root)).toEqual(['answer 1', 'answer 2']);
      expect(await tries(world, 'answer 1')).toBe(2);
    },
  );
});
