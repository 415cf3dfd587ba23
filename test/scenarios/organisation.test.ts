import { expect, test } from 'vitest';

import { runCommand } from '../harness/run-command.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { startWorld } from '../harness/world.ts';
import { arrives, ask, CHANNEL, install, invite, served, startTwoWorkspaces, wordsIn } from './installing.ts';

test('P10 an organisation installs the app once: each allowed workspace is served separately, a message in a shared channel crosses once, and a removed workspace is no longer served', async () => {
  const { base, service, home, orbit, settings } = await startTwoWorkspaces(startWorld);
  const { team: teamSolar } = await home.post<{ team: string }>('add-workspace', {
    name: 'Solar',
    domain: 'solar',
    people: [{ name: 'sol', email: 'sol@solar.example', role: 'owner' }],
    channels: [{ name: CHANNEL }],
  });
  const solar = home.inWorkspace('solar');
  const { organisation } = await home.post<{ organisation: string }>('add-organisation', {
    name: 'Group',
    domain: 'group',
    workspaces: ['orbit', 'solar'],
  });
  const bridge = await base.startAlongside(['bridge'], {
    ...settings,
    RECONCILE_EVERY_SECONDS: '1',
    CHAT_READS_PER_MINUTE: '6000',
  });
  await home.post('app', { redirectUrls: [`${bridge.urls.root}/slack/oauth_redirect`] });

  const { status, page } = await install(bridge, solar, 'sol', { forOrganisation: true });
  expect([status, page]).toEqual([200, expect.stringContaining('approved for Group')]);
  await home.post('team-access', { team: 'orbit' });
  const teamOrbit = await served(bridge, 'Orbit');
  // No event announces the other workspace: its first message does.
  await home.post('faults', { events: [{ kind: 'drop', times: 1 }], faults: [] });
  await home.post('team-access', { team: 'solar' });
  await invite(solar);
  await served(bridge, teamSolar);
  const { out: listed } = await runCommand(['workspaces'], bridge.environment);
  const lines = listed.split('\n').map((line) => line.split('\t'));
  for (const [team, name] of [
    [teamOrbit, 'Orbit'],
    [teamSolar, 'Solar'],
  ] as const)
    expect(lines).toContainEqual([team, name, `bridge_${team.toLowerCase()}`, `by ${organisation}`]);

  const inOrbit = await ask(base, orbit, 'zoe', 'the printer in orbit is on fire');
  const inSolar = await ask(base, solar, 'sol', 'the printer on the sun is on fire');
  const answer = (ticketId: string, content: string) =>
    service.createTicketMessage({ body: { ticketId, content } });
  await answer(inOrbit.ticket.id, 'water in orbit');
  await answer(inSolar.ticket.id, 'water on the sun');
  await arrives(orbit, inOrbit.root, 'water in orbit');
  await arrives(solar, inSolar.root, 'water on the sun');

  // From now on both workspaces have the channel, and both bridges compare it with the tickets.
  await orbit.post('share-within', { channel: CHANNEL, with: ['solar'] });
  await home.post('faults', { events: [{ kind: 'drop', times: 1, team: teamOrbit }], faults: [] });
  const { bot } = await orbit.state();
  const explainUnknown = await orbit.say(CHANNEL, 'zoe', `<@${bot}> nobody was told of this`);
  const found = await ticketAt(service, explainUnknown.ts);
  await orbit.say(CHANNEL, 'zoe', 'said in the shared channel', inOrbit.root);
  await answer(inOrbit.ticket.id, 'answered in the shared channel');
  await arrives(orbit, inOrbit.root, 'answered in the shared channel');
  const onTicket = async () => {
    const { items } = await service.listTicketMessages({
      query: { ticketId: inOrbit.ticket.id, limit: 100 },
    });
    return items.map(({ content }) => content).filter((content) => content.includes('shared channel'));
  };
  await until('both messages to be on the ticket', async () => (await onTicket()).length >= 2);
  // A second ticket would exist by now: both sides were compared repeatedly.
  await answer(found.id, 'after several rounds');
  await arrives(orbit, explainUnknown.ts, 'after several rounds');
  expect((await onTicket()).toSorted()).toEqual([
    'answered in the shared channel',
    'said in the shared channel',
  ]);
  const { items: tickets } = await service.listTickets({ query: { chatMessageTs: explainUnknown.ts } });
  expect(tickets.map(({ id }) => id)).toEqual([found.id]);
  const twice = (words: readonly string[]) => words.filter((one, at) => words.indexOf(one) !== at);
  expect(twice(await wordsIn(orbit, inOrbit.root))).toEqual([]);
  expect(await wordsIn(solar, inSolar.root)).toEqual(
    expect.not.arrayContaining([expect.stringContaining('shared')]),
  );

  await home.post('team-access', { team: 'solar', granted: false });
  await served(bridge, teamSolar, 'workspace.let_go');
  await answer(inOrbit.ticket.id, 'still in orbit');
  await arrives(orbit, inOrbit.root, 'still in orbit');
  await home.post('uninstall', { team: 'group' });
  await served(bridge, teamOrbit, 'workspace.let_go');
});
