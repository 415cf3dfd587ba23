import { describe, expect, test } from 'vitest';

import { runCommand } from '../harness/run-command.ts';
import { startRefusing } from '../harness/refusing-service.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { startWorld, type World } from '../harness/world.ts';

const CHANNEL = 'it-help';
const WAITING = 'hourglass_flowing_sand';
const FAILED = 'warning';

async function open(world: World, words = 'a receipt, please'): Promise<{ root: string; id: string }> {
  const { bot } = await world.chat.state();
  const { ts } = await world.chat.say(CHANNEL, 'ada', `<@${bot}> ${words}`);
  const ticket = await ticketAt(world.service, ts);
  await world.untilIdle();
  return { root: ts, id: ticket.id };
}

/** The bot's emoji on one message. */
async function marksOn({ chat }: World, ts: string): Promise<string[]> {
  const { bot } = await chat.state();
  const message = (await chat.messages(CHANNEL)).find((one) => one.ts === ts);
  return (message?.reactions ?? []).filter(({ users }) => users.includes(bot)).map(({ name }) => name);
}

const repliesOn = async ({ service }: World, ticketId: string) =>
  (await service.listTicketMessages({ query: { ticketId } })).items.map(({ content }) => content);

describe('a message that could not cross', () => {
  test('B47 has ⏳ while it waits for the service, once, and no longer when it has crossed', async () => {
    const world = await startWorld({ ALLOW_PRIVATE_WEBHOOKS: 'true' }, ['service', '--demo']);
    const bridge = await world.startAlongside(['start'], { CHAT_WAITING_SECONDS: '1' });
    const { root, id } = await open(bridge);
    await world.stop();
    const { ts } = await bridge.chat.say(CHANNEL, 'ada', 'is anybody there?', root);
    await until('the mark', async () => (await marksOn(bridge, ts)).length > 0);
    expect(await marksOn(bridge, ts)).toEqual([WAITING]);
    expect(await marksOn(bridge, root)).toEqual([]);
    await world.restart();
    await until('the mark to go', async () => (await marksOn(bridge, ts)).length === 0, {});
    expect(await repliesOn(world, id)).toEqual(['is anybody there?']);
  });

  test('B54 has ⚠️ when it never will, its author gets the reason, and both marks are removed after a retry', async () => {
    let refusing = false;
    const { world, bridge } = await startRefusing((what) => refusing && what === 'POST /api/ticket-messages');
    const { root, id } = await open(bridge);
    refusing = true;
    const { ts } = await bridge.chat.say(CHANNEL, 'ada', 'this one is refused', root);
    await until('the mark', async () => (await marksOn(bridge, ts)).includes(FAILED));
    const told = async () =>
      (await bridge.chat.messages('@deskbridge', 'ada')).filter(({ text }) => text.includes(':warning:'));
    await until('the notice to the author', async () => (await told()).length > 0);
    refusing = false;
    await bridge.chat.say(CHANNEL, 'ada', 'and on it goes', root);
    await until('what is behind it', async () => (await repliesOn(world, id)).includes('and on it goes'));
    const retried = await runCommand(['dead-letters', 'retry', 'all'], bridge.environment);
    expect(retried.out).toContain('1 will be retried');
    await until('the mark to go', async () => (await marksOn(bridge, ts)).length === 0);
    // The mark is removed when the message is sent.
    await bridge.untilBridgeIdle();
    expect((await repliesOn(world, id)).toSorted()).toEqual(['and on it goes', 'this one is refused']);
    expect(await told()).toHaveLength(1);
    expect((await told())[0]?.text).toContain('The help desk does not accept it.');
    expect((await told())[0]?.text).not.toContain('422');
  });
});

test('B49 B54 B55 *Why?* in the *Ticket actions* of a message shows what holds it up; *Retry* there opens its ticket, with the replies under it', async () => {
  let refusing = true;
  const { world, bridge } = await startRefusing((what) => refusing && what === 'POST /api/tickets');
  const { bot } = await bridge.chat.state();
  const { ts } = await bridge.chat.say(CHANNEL, 'ada', `<@${bot}> nothing works`);
  await until('the mark', async () => (await marksOn(bridge, ts)).includes(FAILED));
  await bridge.chat.say(CHANNEL, 'ben', 'for me neither', ts);
  await until('the reply to be worked', async () =>
    bridge.log.some(({ outcome }) => outcome === 'no ticket in this thread'),
  );
  const { chat } = bridge;
  const windowWith = (words: string) =>
    until(`a modal with ${words}`, async () => {
      const window = await chat.modal('ada');
      return JSON.stringify(window?.blocks ?? '').includes(words) ? window : undefined;
    });
  const choose = async (action: string) => {
    await chat.post('shortcut', {
      channel: CHANNEL,
      user: 'ada',
      callbackId: 'ticket_actions',
      messageTs: ts,
    });
    const { id } = await windowWith('message_retry');
    await chat.post('interact', { user: 'ada', viewId: id, action });
  };
  await choose('message_why');
  await windowWith('it cannot be delivered');
  refusing = false;
  await choose('message_retry');
  await windowWith('Retrying now');
  const ticket = await ticketAt(world.service, ts);
  await bridge.untilIdle();
  expect(await repliesOn(world, ticket.id)).toEqual(['for me neither']);
  await until('the mark to go', async () => (await marksOn(bridge, ts)).length === 0);
});
