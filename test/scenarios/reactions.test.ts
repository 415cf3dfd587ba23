import { expect, test } from 'vitest';

import { ticketAt } from '../harness/ticket.ts';
import { userIdOf } from '../harness/user-id.ts';
import { startWorld, type World } from '../harness/world.ts';

const CHANNEL = 'it-help';

async function ticketOf({ service }: World, root: string) {
  return ticketAt(service, root);
}

async function messagesOf({ service }: World, ticketId: string) {
  return (await service.listTicketMessages({ query: { ticketId } })).items;
}

/** The reactions to one message in chat, with their users. */
async function emojiOn({ chat }: World, ts: string): Promise<Record<string, string[]>> {
  const message = (await chat.messages(CHANNEL)).find((one) => one.ts === ts);
  return Object.fromEntries((message?.reactions ?? []).map(({ name, users }) => [name, users]));
}

test('B12 reactions cross both ways: each person’s to the ticket, one of the bot’s for users who reacted elsewhere', async () => {
  const world = await startWorld();
  const { chat, service } = world;
  const { bot } = await chat.state();
  const [ada, ben, mira] = [
    await userIdOf(world.service, 'ada'),
    await userIdOf(world.service, 'ben'),
    await userIdOf(world.service, 'mira'),
  ];

  // Reactions from before the ticket (B4) come with the replies; those to a first message stay in chat.
  const { ts: root } = await chat.say(CHANNEL, 'ada', 'the screen flickers');
  const reply = await chat.say(CHANNEL, 'ben', 'mine does too', root);
  await chat.react(CHANNEL, 'ada', root, 'rocket');
  await chat.react(CHANNEL, 'ada', reply.ts, 'wave::skin-tone-3');
  await chat.react(CHANNEL, 'ada', reply.ts, 'thumbsup');
  await chat.react(CHANNEL, 'ada', reply.ts, 'thumbsup', false);
  await chat.say(CHANNEL, 'ada', `<@${bot}> please help`, root);
  const { id } = await ticketOf(world, root);
  await world.untilIdle();
  const onTicket = async (content: RegExp) =>
    (await messagesOf(world, id))
      .find((one) => content.test(one.content))
      ?.reactions.map(({ emoji, authorId }) => [emoji, authorId])
      .toSorted();
  expect(await onTicket(/mine does too/)).toEqual([['wave', ada]]);

  // From chat, per person; to any part of a long answer alike, and not as an edit of it.
  const long = Array.from({ length: 30 }, (_, n) => `Step ${n}: ${'look closely '.repeat(25)}`).join('\n\n');
  const steps = await service.createTicketMessage({ body: { ticketId: id, authorId: mira, content: long } });
  await world.untilIdle();
  const parts = (await chat.thread(CHANNEL, root)).filter(({ text }) => text.includes('Step'));
  const [first, second] = [parts[0]?.ts ?? '', parts[1]?.ts ?? ''];
  await chat.react(CHANNEL, 'ada', first, 'heart');
  await chat.react(CHANNEL, 'ada', second, 'heart');
  await chat.react(CHANNEL, 'ben', second, 'heart');
  await chat.react(CHANNEL, 'ben', second, 'hourglass_flowing_sand');
  await world.untilIdle();
  expect(await onTicket(/Step/)).toEqual(
    [
      ['heart', ada],
      ['heart', ben],
    ].toSorted(),
  );
  await chat.react(CHANNEL, 'ada', first, 'heart', false);
  await chat.react(CHANNEL, 'ben', second, 'heart', false);
  await world.untilIdle();
  expect(await onTicket(/Step/)).toEqual([['heart', ada]]);

  // From the ticket: one emoji of the bot for all users, on the first part; an emoji unknown to Slack stays
  // on the ticket.
  const react = (message: string, emoji: string, authorId: string) =>
    service.addReaction({ params: { id: message }, body: { emoji, authorId } });
  const mine = (await messagesOf(world, id)).find(({ content }) => content === 'mine does too')?.id ?? '';
  await react(steps.id, 'no emoji!', mira);
  await react(steps.id, 'warning', mira);
  await react(steps.id, 'tada', mira);
  await react(steps.id, 'tada', ben);
  await react(mine, 'thumbsup', ada);
  await world.untilIdle();
  expect(await emojiOn(world, first)).toEqual({ tada: [bot] });
  expect(await emojiOn(world, second)).toEqual({
    heart: ['U0ADAREYES'],
    hourglass_flowing_sand: ['U0BENOKAFO'],
  });
  expect((await emojiOn(world, reply.ts))['thumbsup']).toEqual([bot]);

  // The bot's reaction is removed with the last user who needs it: a user who also reacted in chat does not.
  await service.removeReaction({ params: { id: steps.id }, body: { emoji: 'tada', authorId: mira } });
  await chat.react(CHANNEL, 'ada', reply.ts, 'thumbsup');
  await world.untilIdle();
  expect((await emojiOn(world, first))['tada']).toEqual([bot]);
  expect((await emojiOn(world, reply.ts))['thumbsup']).toEqual(['U0ADAREYES']);
  expect(await onTicket(/mine does too/)).toEqual([
    ['thumbsup', ada],
    ['wave', ada],
  ]);
  await service.removeReaction({ params: { id: steps.id }, body: { emoji: 'tada', authorId: ben } });
  await world.untilIdle();
  expect((await emojiOn(world, first))['tada']).toBeUndefined();

  // No message was rewritten for it, and there is no dead letter.
  expect((await chat.thread(CHANNEL, root)).filter(({ edited }) => edited !== undefined)).toEqual([]);
  expect(world.log.filter(({ event }) => /parked/.test(String(event)))).toEqual([]);
});
