import { describe, expect, test } from 'vitest';

import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { runCli, startProcess, type World } from '../harness/world.ts';
import { LONG } from './drill.ts';

const CHANNEL = 'it-help';
/** Refusals of the whole app, after which chat is asked again half a minute later; all in the long form. */
const LASTING = ['token_revoked', ...(LONG ? ['invalid_auth', 'account_inactive'] : [])];

async function open(world: World): Promise<{ root: string; id: string; channel: string }> {
  const { bot, channels } = await world.chat.state();
  const { ts } = await world.chat.say(CHANNEL, 'ada', `<@${bot}> the printer is on fire`);
  const ticket = await ticketAt(world.service, ts);
  await world.quiet();
  return { root: ts, id: ticket.id, channel: channels[CHANNEL] ?? '' };
}

const answer = ({ service }: World, ticketId: string, content: string) =>
  service.createTicketMessage({ body: { ticketId, content } });
const answersIn = async ({ chat }: World, root: string) =>
  (await chat.thread(CHANNEL, root)).map(({ text }) => text).filter((text) => text.startsWith('answer'));

/** How often chat was asked to post this text. */
async function tries({ urls }: World, text: string): Promise<number> {
  const seen = await fetch(`${urls.sandbox}/_control/calls?method=chat.postMessage&limit=1000`);
  const { calls } = (await seen.json()) as { calls: unknown[] };
  return calls.filter((call) => JSON.stringify(call).includes(text)).length;
}

describe('what chat says it will never do', () => {
  test('F6 an answer of each kind that will never change is parked at once with its reason, asked for once, and the thread goes on', async () => {
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
      await world.chat.post('faults', { method: 'chat.postMessage', kind: 'error', error, times: 1 });
      await answer(world, id, `answer that meets ${error}`);
      await world.quiet();
      expect([error, await tries(world, `answer that meets ${error}`)]).toEqual([error, 1]);
    }
    await answer(world, id, 'answer after all of them');
    await world.quiet();
    expect(await answersIn(world, root)).toEqual(['answer after all of them']);
    const { out } = await runCli(['dead-letters', 'list'], world.environment);
    for (const error of errors) expect(out).toContain(`chat.postMessage: ${error}`);
  }, 120_000);

  test('F6 an answer that takes thirty seconds is given up after ten: the post is looked for, stands there once, and the thread goes on in order', async () => {
    const world = await startProcess({ RECONCILE_EVERY_SECONDS: '3600' });
    const { root, id } = await open(world);
    const slow = { method: 'chat.postMessage', kind: 'slow', ms: 30_000, worked: true, times: 1 };
    await world.chat.post('faults', slow);
    await answer(world, id, 'answer that takes long');
    await answer(world, id, 'answer behind it');
    await until('both to stand there', async () => (await answersIn(world, root)).length > 1, {
      withinMs: 60_000,
    });
    await world.quiet();
    expect(await answersIn(world, root)).toEqual(['answer that takes long', 'answer behind it']);
    expect(world.log.filter(({ event }) => event === 'outbox.uncertain')).toMatchObject([{ found: true }]);
  }, 120_000);

  test.each([
    ['F16 the app is put out of the channel', 'kick', { user: 'ada', member: 'deskbridge' }, 'invite'],
    ['F16 the channel is archived', 'archive', { archived: true }, 'archive'],
  ])(
    '%s: what it would post there is parked with its reason and asked for once, other channels go on, and it is posted when an admin has mended it',
    async (_, operation, body, undo) => {
      const world = await startProcess({ RECONCILE_EVERY_SECONDS: '3600' });
      const { root, id, channel } = await open(world);
      await world.chat.post(operation, { channel, ...body });
      await answer(world, id, 'answer to nowhere');
      const list = () => runCli(['dead-letters', 'list'], world.environment);
      await until('it to be parked', async () => (await list()).out.includes('chat.postMessage: '), {
        withinMs: 60_000,
      });
      await world.idle();
      expect(await tries(world, 'answer to nowhere')).toBe(1);
      const { bot } = await world.chat.state();
      const other = await world.chat.say('people-help', 'ada', `<@${bot}> and here?`);
      await until(
        'a ticket from elsewhere',
        async () => (await world.service.listTickets({ query: { chatMessageTs: other.ts } })).items[0],
      );
      await world.chat.post(undo, {
        channel,
        ...(undo === 'archive' ? { archived: false } : { user: 'ada', member: 'deskbridge' }),
      });
      await runCli(['dead-letters', 'retry', 'all'], world.environment);
      await world.idle();
      expect(await answersIn(world, root)).toEqual(['answer to nowhere']);
    },
    120_000,
  );
});

describe('what somebody has to mend', () => {
  test.each(LASTING)(
    'F16 while chat answers %s nothing is parked, nothing is asked for over and over, and it all goes on when it is mended',
    async (error) => {
      const world = await startProcess({ RECONCILE_EVERY_SECONDS: '3600' });
      const { root, id } = await open(world);
      await world.chat.post('faults', { method: 'chat.postMessage', kind: 'error', error, times: 1 });
      await answer(world, id, 'answer 1');
      await answer(world, id, 'answer 2');
      await until('it to be refused', async () => (await tries(world, 'answer 1')) > 0);
      expect((await runCli(['dead-letters', 'list'], world.environment)).out).not.toContain('postMessage');
      await until('both to stand there', async () => (await answersIn(world, root)).length === 2, {
        withinMs: 60_000,
      });
      expect(await answersIn(world, root)).toEqual(['answer 1', 'answer 2']);
      expect(await tries(world, 'answer 1')).toBe(2);
    },
    120_000,
  );
});
