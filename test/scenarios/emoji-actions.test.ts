import { expect, test } from 'vitest';

import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { SETTINGS_CACHE_MS, startWorld } from '../harness/world.ts';

const CHANNEL = 'it-help';

test('B1 B5 B25 an emoji of the workspace on a first message changes its ticket for users with permission, tells others why not, and does nothing when it is removed; cards have no controls where the queue turns them off', async () => {
  const world = await startWorld();
  const { chat, service } = world;
  const [workspace] = (await service.listWorkspaces({})).items;
  await service.updateWorkspace({
    params: { id: workspace?.id ?? '' },
    body: {
      chatEmojiActions: {
        // Also for an emoji that is one of the bot's own marks: on a first message the workspace's setting
        // takes precedence.
        eyes: { action: 'status', value: 'in progress' },
        rotating_light: { action: 'priority', value: 'URGENT' },
        hand: { action: 'assign-me' },
        ghost: { action: 'status', value: 'haunted' },
      },
    },
  });
  const desk = (await service.listQueues({})).items.find(({ prefix }) => prefix === 'IT');
  await service.updateQueue({
    params: { id: desk?.id ?? '' },
    body: { settings: { enableUserActions: false } },
  });
  // The bridge may have cached the settings, which it does for seconds.
  world.clock.pass(SETTINGS_CACHE_MS);

  const { bot } = await chat.state();
  const { ts } = await chat.say(CHANNEL, 'ada', `<@${bot}> the lift is stuck`);
  const { id } = await ticketAt(service, ts);
  const ticket = () => service.readTicket({ params: { id } });
  const before = await ticket();

  await chat.react(CHANNEL, 'ada', ts, 'rotating_light');
  await until('the answer to Ada about permissions', async () =>
    (await chat.ephemeral(CHANNEL, 'ada'))?.text.includes('Only the team of'),
  );
  await chat.react(CHANNEL, 'mira', ts, 'ghost');
  await until('the answer to Mira about the unknown status', async () =>
    (await chat.ephemeral(CHANNEL, 'mira'))?.text.includes('names the status “haunted”'),
  );
  const card = await until('the card', async () =>
    (await chat.thread(CHANNEL, ts)).find(({ metadata }) => metadata?.event_payload['card']),
  );
  expect(card.blocks.map((block) => (block as { type: string }).type)).toEqual(['section', 'context']);
  const reply = await chat.say(CHANNEL, 'ada', 'still stuck', ts);
  await chat.react(CHANNEL, 'mira', reply.ts, 'rotating_light');
  await world.untilIdle();
  expect(await ticket()).toMatchObject({ priority: before.priority, statusId: before.statusId });

  for (const name of ['eyes', 'rotating_light', 'hand']) await chat.react(CHANNEL, 'mira', ts, name);
  const changed = await until('the three changes', async () => {
    const now = await ticket();
    return now.priority === 'URGENT' && now.status.label === 'In Progress' && now.assigneeId
      ? now
      : undefined;
  });
  const mira = await service.readUser({ params: { id: changed.assigneeId ?? '' } });
  expect(mira.firstName).toBe('Mira');

  for (const name of ['eyes', 'rotating_light', 'hand']) await chat.react(CHANNEL, 'mira', ts, name, false);
  await world.untilIdle();
  expect(await ticket()).toMatchObject({
    priority: 'URGENT',
    assigneeId: mira.id,
    statusId: changed.statusId,
  });
});
