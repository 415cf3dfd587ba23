import { describe, expect, test } from 'vitest';

import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { startWorld } from '../harness/world.ts';

const CHANNEL = 'it-help';

describe('AI agents in chat', () => {
  test('B14 B42 an AI agent answers in the thread under its name; its 👍 and 👎 buttons are reactions of the user who presses, a 👎 brings in a person, and its team reads it below the card', async () => {
    const world = await startWorld();
    const { chat, service } = world;
    const desk = (await service.listQueues({})).items.find(({ prefix }) => prefix === 'IT');
    const patch = (await service.listAgents({})).items.find(({ name }) => name === 'Patch');
    await service.updateQueue({ params: { id: desk?.id ?? '' }, body: { settings: { aiEnabled: true } } });
    await service.saveAgent({ body: { id: patch?.id ?? '', enabled: true, autoEscalate: true } });

    const { bot } = await chat.state();
    const root = await chat.say(CHANNEL, 'ada', `<@${bot}> the VPN drops every few minutes`);
    const answer = await until('the agent’s answer in the thread', async () =>
      (await chat.thread(CHANNEL, root.ts)).find(({ username }) => username === 'Patch'),
    );
    expect(answer.text).toContain('5.2.2');
    expect(JSON.stringify(answer.blocks.at(-1))).toContain('answer_failed');

    const ticket = await ticketAt(service, root.ts);
    const stored = async () =>
      (await service.listTicketMessages({ query: { ticketId: ticket.id } })).items.find(
        ({ source }) => source === 'AGENT',
      );
    const press = (user: string, actionId: string) =>
      chat.post('interact', { user, channel: answer.channel, messageTs: answer.ts, action: actionId });
    const rated = (emoji: string) =>
      until(`the reaction ${emoji}`, async () => {
        const reactions = (await stored())?.reactions ?? [];
        return reactions.length === 1 && reactions[0]?.emoji === emoji && reactions[0];
      });
    await press('ada', 'answer_helped');
    expect((await rated('+1')).authorId).toBe(ticket.requesterId);
    // Who asked may close the request with that, and the thread says so.
    const offer = await until('the offer to close', async () => {
      const last = await chat.ephemeral(CHANNEL, 'ada');
      return last?.text.includes('Is this solved?') && last;
    });
    expect(JSON.stringify(offer.blocks)).toContain('Close my request');
    const inThread = async () => JSON.stringify(await chat.thread(CHANNEL, root.ts));
    expect(await inThread()).not.toContain('(Closed)');
    await chat.post('interact', {
      user: 'ada',
      channel: answer.channel,
      messageTs: offer.ts,
      action: 'card_close',
    });
    await until('the thread to say that it is closed', async () => (await inThread()).includes('(Closed)'));
    const closed = await service.readTicket({ params: { id: ticket.id } });
    expect([closed.status.label, closed.closedAt !== null]).toEqual(['Closed', true]);
    // Nothing is offered twice.
    await press('ada', 'answer_helped');
    await until('thanks alone', async () => {
      const last = await chat.ephemeral(CHANNEL, 'ada');
      return last?.text === 'Thanks for your feedback.' && !JSON.stringify(last).includes('Close my request');
    });
    const open = (await service.listStatuses({ query: {} })).items.find(({ label }) => label === 'Open');
    await service.updateTicket({
      params: { id: ticket.id },
      body: { data: { statusId: open?.id ?? '' } },
    });
    await press('ada', 'answer_failed');
    await rated('-1');
    await until('the answer to Ada', async () =>
      (await chat.ephemeral(CHANNEL, 'ada'))?.text.includes('A teammate will reply here'),
    );
    expect(await service.readTicket({ params: { id: ticket.id } })).toMatchObject({
      disableAIResponse: true,
    });

    // An edited answer keeps its buttons, and an agent that was handed off is silent.
    await service.updateTicketMessage({
      params: { id: (await stored())?.id ?? '' },
      body: { content: 'Install 5.2.3 instead.' },
    });
    await chat.say(CHANNEL, 'ada', 'The VPN version 5.2.1 drops every few minutes!', root.ts);
    const edited = await until('the edit in chat', async () =>
      (await chat.thread(CHANNEL, root.ts)).find(({ text }) => text.includes('5.2.3')),
    );
    expect(JSON.stringify(edited.blocks.at(-1))).toContain('answer_helped');
    await world.untilIdle();
    const thread = await chat.thread(CHANNEL, root.ts);
    expect(thread.filter(({ username }) => username === 'Patch')).toHaveLength(1);

    // The team reads it below its card, to follow and not to rate.
    const card = (await chat.messages('it-triage')).find(
      ({ metadata }) => metadata?.event_payload['card'] === ticket.id,
    );
    const inTeam = (await chat.thread('it-triage', card?.ts ?? '')).filter(
      ({ username }) => username === 'Patch',
    );
    expect(inTeam.map(({ text }) => text)).toEqual([
      'Install 5.2.3 instead.',
      expect.stringContaining('answer didn’t help'),
    ]);
    expect(JSON.stringify(inTeam[0]?.blocks)).not.toContain('answer_');
  });
});
