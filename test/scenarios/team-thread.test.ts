import pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';

import { DEMO } from '../../src/start/demo.ts';
import type { SeenMessage } from '../harness/chat.ts';
import { makeDue } from '../harness/make-due.ts';
import { PIXEL, servePicture } from '../harness/picture.ts';
import { removePost } from '../harness/remove-post.ts';
import { runCommand } from '../harness/run-command.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { sharedWorld } from '../harness/world.ts';

const CHANNEL = 'it-help';
const TRIAGE = 'it-triage';
const world = sharedWorld({ CHAT_SETTINGS_SECONDS: '0' });

/** Creates a channel and types `/ticket link` there; the queue's answer. */
async function link(name: string, words: string, isPrivate: boolean): Promise<string> {
  const { chat } = world;
  await chat.post('create-channel', { user: 'mira', name, members: ['ada'], private: isPrivate });
  await chat.post('invite', { channel: name, user: 'mira', member: 'deskbridge' });
  return ask(name, `link ${words}`);
}

async function ask(channel: string, text: string): Promise<string> {
  const { chat } = world;
  const before = (await chat.ephemeral(channel, 'mira'))?.ts;
  await chat.command(channel, 'mira', text);
  const answer = await until(`an answer to ${text}`, async () => {
    const last = await chat.ephemeral(channel, 'mira');
    return last && last.ts !== before ? last.text : undefined;
  });
  return answer;
}

async function userOf(name: string): Promise<string> {
  const { items } = await world.service.listUsers({ query: { email: `${name}@acme.example` } });
  return items[0]?.id ?? '';
}

/** Ada asks, and the team has its card. */
async function open(words: string, { channel = CHANNEL, triage = TRIAGE } = {}) {
  const { chat, service } = world;
  const { bot } = await chat.state();
  const { ts: root } = await chat.say(channel, 'ada', `<@${bot}> ${words}`);
  const { id, code } = await ticketAt(service, root);
  await world.untilIdle();
  const card = await cardOn(triage, id);
  const write = async (content: string, by: string, more: object = {}) =>
    service.createTicketMessage({
      body: { ticketId: id, content, authorId: await userOf(by), ...more },
    });
  return { id, code, root, card, write };
}

const isNote = ({ blocks }: SeenMessage) => JSON.stringify(blocks).includes('Internal note');

/** What the team's thread shows: who, what, and whether it is marked as a note. */
async function inTeam(card: SeenMessage): Promise<string[]> {
  const thread = await world.chat.thread(card.channel, card.ts);
  return thread.map((one) => `${one.username ?? 'a person'}: ${one.text}${isNote(one) ? ' (note)' : ''}`);
}

async function cardOn(channel: string, ticketId: string): Promise<SeenMessage> {
  const cards = await world.chat.messages(channel);
  const card = cards.find(({ metadata }) => metadata?.event_payload['card'] === ticketId);
  if (!card) throw new Error(`no card in ${channel}`);
  return card;
}

describe('B14 the team’s thread shows what its channel is set to', () => {
  test('everything, the answers, or the notes only', async () => {
    const { chat, service } = world;
    await service.createQueue({ body: { name: 'Kitchen', prefix: 'KIT' } });
    await link('kit-help', 'KIT', false);
    expect(await link('kit-all', 'KIT triage', true)).toContain('show the whole conversation');
    expect(await link('kit-answers', 'KIT triage answers', false)).toContain('show the replies');
    expect(await link('kit-notes', 'KIT triage notes', false)).toContain('notes only');
    const ticket = await open('the oven is cold', { channel: 'kit-help', triage: 'kit-all' });
    const [reply, answer] = ['Ada Reyes: it is urgent', 'Mira Lind: we look at it'];
    await chat.say('kit-help', 'ada', 'it is urgent', ticket.root);
    await world.untilIdle();
    expect(await inTeam(ticket.card)).toEqual([reply]);
    await ticket.write('we look at it', 'mira');
    await world.untilIdle();
    await ticket.write('she is a VIP', 'mira', { private: true });
    await world.untilIdle();
    await chat.say('kit-all', 'mira', 'typed by the team', ticket.card.ts);
    await world.untilIdle();

    const notes = ['Mira Lind: she is a VIP (note)', 'Mira Lind: typed by the team (note)'];
    expect(await inTeam(ticket.card)).toEqual([reply, answer, notes[0], 'a person: typed by the team']);
    expect(await inTeam(await cardOn('kit-answers', ticket.id))).toEqual([answer, ...notes]);
    expect(await inTeam(await cardOn('kit-notes', ticket.id))).toEqual(notes);
    const requester = await chat.thread('kit-help', ticket.root);
    expect(requester.map(({ text }) => text).join(' ')).not.toMatch(/VIP|typed by the team/);
    // Nothing that is shown there comes back as a note, or as anything else.
    const { items } = await service.listTicketMessages({ query: { ticketId: ticket.id } });
    expect(items.map(({ content, private: isPrivate }) => [content, isPrivate])).toEqual([
      ['it is urgent', false],
      ['we look at it', false],
      ['she is a VIP', true],
      ['typed by the team', true],
    ]);
  });

  test('edits and deletions on either side, files, and what becomes a note or stops being one', async () => {
    const { chat, service } = world;
    const ticket = await open('the scanner hums');
    const picture = await servePicture(world, PIXEL);
    const reply = await chat.say(CHANNEL, 'ada', 'first words', ticket.root);
    const wrong = await chat.say(CHANNEL, 'ada', 'wrong thread', ticket.root);
    const files = [{ name: 'scan.png', content: PIXEL.toString('base64') }];
    const upload = { channel: CHANNEL, user: 'ada', text: 'see here', thread_ts: ticket.root, files };
    await chat.post('upload', upload);
    await world.untilIdle();
    const answer = await ticket.write(`look ![a plan](${picture})`, 'mira');
    const slip = await ticket.write('a slip', 'mira');
    await world.untilIdle();
    const there = await chat.thread(TRIAGE, ticket.card.ts);
    expect(there.map(({ text }) => text.split('\n')[0])).toEqual([
      'first words',
      'wrong thread',
      'see here',
      'look a plan',
      '',
      'a slip',
    ]);
    expect(JSON.stringify(there[2]?.blocks)).toContain('scan.png');
    expect(there[4]?.files?.[0]?.title).toBe('a plan');

    await chat.edit(CHANNEL, 'ada', reply.ts, 'other words');
    await chat.remove(CHANNEL, 'ada', wrong.ts);
    await service.updateTicketMessage({ params: { id: answer.id }, body: { content: 'look again' } });
    await service.updateTicketMessage({ params: { id: slip.id }, body: { private: true } });
    await world.untilIdle();
    const mine = (lines: string[]) => lines.filter((line) => !line.includes('see here'));
    expect(mine(await inTeam(ticket.card))).toEqual([
      'Ada Reyes: other words',
      'Mira Lind: look again',
      'Mira Lind: a slip (note)',
    ]);
    await service.updateTicketMessage({ params: { id: slip.id }, body: { private: false } });
    await service.deleteTicketMessage({ params: { id: answer.id } });
    await world.untilIdle();
    expect(mine(await inTeam(ticket.card))).toEqual(['Ada Reyes: other words', 'Mira Lind: a slip']);
    // The requester reads it again as well.
    const hers = await chat.thread(CHANNEL, ticket.root);
    expect(hers.filter(({ text }) => text === 'a slip')).toHaveLength(1);
  });

  test('the team’s copy notifies nobody who is mentioned, takes no emoji to the requester, and is not sent to them again', async () => {
    const { chat, service } = world;
    const ticket = await open('the door sticks');
    const { mira } = DEMO.people;
    await chat.say(CHANNEL, 'ada', `can <@${mira.id}> help?`, ticket.root);
    await world.untilIdle();
    const [copy] = await chat.thread(TRIAGE, ticket.card.ts);
    expect(copy?.text).toBe('can @mira help?');
    expect(JSON.stringify(copy?.blocks)).not.toContain(mira.id);

    await chat.react(TRIAGE, 'mira', copy?.ts ?? '', 'tada');
    const messageTs = copy?.ts;
    const send = { user: 'mira', callbackId: 'send_to_requester', channel: TRIAGE, messageTs };
    await chat.post('shortcut', send);
    await until('the refusal', async () =>
      (await chat.ephemeral(TRIAGE, 'mira'))?.text.includes('has this message already'),
    );
    await world.untilIdle();
    const { items } = await service.listTicketMessages({ query: { ticketId: ticket.id } });
    expect(items.map(({ reactions }) => reactions)).toEqual([[]]);
  });

  test('a channel is set in the channel itself, and keeps it when it is linked again', async () => {
    const { service } = world;
    const linked = async () =>
      (await service.listWorkspaces({})).items[0]?.chatTriageChannels.find(
        ({ channelName }) => channelName === 'ppl-triage',
      );
    await link('ppl-triage', 'PPL triage', true);
    expect((await linked())?.teamThread).toBe('everything');
    expect(await ask('ppl-triage', 'link PPL triage')).toContain('linked to *People* already');
    expect(await ask('ppl-triage', 'link PPL triage answers')).toContain('show the replies');
    expect(await ask('ppl-triage', 'link PPL triage answers')).toContain('already');
    const { channelId, channelName, queueId } = (await linked()) ?? {};
    const body = { channelId: channelId ?? '', channelName, queueId };
    await service.linkChatChannel({ body: { ...body, type: 'TRIAGE' } });
    expect((await linked())?.teamThread).toBe('answers');
    await service.linkChatChannel({ body: { ...body, type: 'REQUEST' } });
    expect((await linked())?.teamThread).toBeNull();
  });
});

test('B26 the team’s card says what was asked, and leads to the requester’s thread and to the desk', async () => {
  const ticket = await open('the lamp is dark. It was *bright* yesterday. I changed nothing.');
  const said = JSON.stringify(ticket.card.blocks);
  const { itHelp } = DEMO.channels;
  expect(said).toContain(`/archives/${itHelp.id}/p${ticket.root.replace('.', '')}|Requester’s thread>`);
  expect(said).toContain(`${world.urls.root}/tickets/${ticket.code}|Open at the desk>`);
  expect(said).toContain('It was bright yesterday. I changed nothing.');
});

describe('B14 B27 what a place may not show any more is taken back', () => {
  const [HELP, OPEN_TRIAGE, CLOSED_TRIAGE] = ['lab-help', 'lab-open', 'lab-closed'];
  const stays = expect.stringContaining('What people wrote here stays') as unknown;
  const all = ['my salary is wrong', 'we correct it', 'typed in the open'];
  let lab = '';

  // A queue with two triage channels, a public one and a private one.
  beforeAll(async () => {
    const { service } = world;
    ({ id: lab } = await service.createQueue({ body: { name: 'Lab', prefix: 'LAB' } }));
    await service.updateUser({
      params: { id: await userOf('sam') },
      body: { role: 'agent', queueIds: [lab] },
    });
    await link(HELP, 'LAB', false);
    await link(OPEN_TRIAGE, 'LAB triage', false);
    await link(CLOSED_TRIAGE, 'LAB triage', true);
  });

  /** A ticket with a reply and an answer, and what an agent wrote in the thread of the public triage channel. */
  async function talk(words: string) {
    const { chat } = world;
    const ticket = await open(words, { channel: HELP, triage: OPEN_TRIAGE });
    const closed = await cardOn(CLOSED_TRIAGE, ticket.id);
    await chat.say(HELP, 'ada', 'my salary is wrong', ticket.root);
    await world.untilIdle();
    await ticket.write('we correct it', 'mira');
    await world.untilIdle();
    await chat.say(OPEN_TRIAGE, 'mira', 'typed in the open', ticket.card.ts);
    await world.untilIdle();
    const inThread = async (channel: string, root: string) =>
      (await chat.thread(channel, root)).map(({ text }) => text);
    expect(await inThread(OPEN_TRIAGE, ticket.card.ts)).toEqual(all);
    expect(await inThread(CLOSED_TRIAGE, closed.ts)).toEqual(all);
    return {
      ...ticket,
      inOpen: () => inThread(OPEN_TRIAGE, ticket.card.ts),
      inClosed: () => inThread(CLOSED_TRIAGE, closed.ts),
      inHelp: () => inThread(HELP, ticket.root),
    };
  }

  test('a ticket becomes private, and public again', async () => {
    const { service } = world;
    const ticket = await talk('payroll is wrong');
    const set = async (isPrivate: boolean) => {
      await service.updateTicket({ params: { id: ticket.id }, body: { data: { private: isPrivate } } });
      await world.untilIdle();
    };
    await set(true);
    expect(await ticket.inOpen()).toEqual(['typed in the open', stays]);
    await ticket.write('only for you', 'mira');
    await world.untilIdle();
    await ticket.write('a secret note', 'mira', { private: true });
    await world.untilIdle();
    expect(await ticket.inOpen()).toEqual(['typed in the open', stays]);
    // The private channel of the team goes on.
    expect(await ticket.inClosed()).toEqual([...all, 'only for you', 'a secret note']);

    await set(false);
    const again = [...all.slice(0, 2), 'only for you', 'a secret note'];
    expect(await ticket.inOpen()).toEqual(['typed in the open', stays, ...again]);
    await set(true);
    expect(await ticket.inOpen()).toEqual(['typed in the open', stays, stays]);
    expect(await ticket.inClosed()).toEqual([...all, 'only for you', 'a secret note']);
  });

  test('a ticket moves to the queue of another team; what its people wrote stays', async () => {
    const { service } = world;
    const ticket = await talk('a matter for others');
    const legal = await service.createQueue({ body: { name: 'Legal', prefix: 'LEG' } });
    await service.updateUser({
      params: { id: await userOf('sam') },
      body: { role: 'agent', queueIds: [lab, legal.id] },
    });
    await service.updateQueue({ params: { id: legal.id }, body: { visibility: 'team' } });
    await service.updateTicket({ params: { id: ticket.id }, body: { data: { queueId: legal.id } } });
    await world.untilIdle();
    expect(await ticket.inOpen()).toEqual(['typed in the open', stays]);
    // Private as it is, it is not the channel of that team; nobody wrote there.
    expect(await ticket.inClosed()).toEqual([]);
    // The requester's thread is theirs.
    expect(await ticket.inHelp()).toContain('we correct it');
  });

  test('a ticket that moves among queues for everyone stays shown, and goes on', async () => {
    const { service } = world;
    const ticket = await talk('a matter for all');
    const { items } = await service.listQueues({});
    const other = items.find(({ name }) => name === 'IT')?.id;
    await service.updateTicket({ params: { id: ticket.id }, body: { data: { queueId: other } } });
    await world.untilIdle();
    await ticket.write('from the other team', 'mira');
    await world.untilIdle();
    expect(await ticket.inOpen()).toEqual([...all, 'from the other team']);
  });

  test('a queue becomes a team’s own, and then everyone’s again', async () => {
    const { service } = world;
    const ticket = await talk('the queue is switched');
    const set = async (visibility: 'team' | 'workspace', shown: unknown[]) => {
      await service.updateQueue({ params: { id: lab }, body: { visibility } });
      await until(
        `the thread while its readers are ${visibility}`,
        async () => (await ticket.inOpen()).length === shown.length,
        { seen: () => ticket.inOpen() },
      );
      await world.untilIdle();
      expect(await ticket.inOpen()).toEqual(shown);
      expect(await ticket.inClosed()).toEqual(all);
    };
    await set('team', ['typed in the open', stays]);
    await set('workspace', ['typed in the open', stays, 'my salary is wrong', 'we correct it']);
  });
});

test('B14 a merged ticket goes on in the thread of the other one, each message once', async () => {
  const { service, chat } = world;
  const [from, into] = [await open('the copier jams'), await open('the copier jams again')];
  await chat.say(CHANNEL, 'ada', 'before', from.root);
  await world.untilIdle();
  await service.mergeTicket({ params: { id: from.id }, body: { intoId: into.id } });
  await world.untilIdle();
  await chat.say(CHANNEL, 'ada', 'after', from.root);
  await world.untilIdle();
  await into.write('it is fixed', 'mira');
  await world.untilIdle();
  const said = async (ticket: { card: SeenMessage }) =>
    (await inTeam(ticket.card)).filter((line) => !/merged into/.test(line));
  expect(await said(from)).toEqual(['Ada Reyes: before']);
  expect(await said(into)).toEqual(['Ada Reyes: after', 'Mira Lind: it is fixed']);
});

test('B24 B26 a deleted card of the team is posted again with the next change, and what waited for its thread stands once, below the new one', async () => {
  const { chat, log, environment } = world;
  const ticket = await open('the fan rattles');
  const begun = log.length;
  await chat.post('faults', {
    faults: [
      {
        method: 'chat.postMessage',
        channel: ticket.card.channel,
        kind: 'rate_limited',
        retryAfter: 20,
        times: 1,
      },
    ],
  });
  await chat.say(CHANNEL, 'ada', 'louder every day', ticket.root);
  await untilPostWaits();
  await removePost(world, ticket.card.channel, ticket.card.ts);
  await until('the deletion to be worked', async () =>
    log.slice(begun).some(({ outcome }) => outcome === 'copy of the card deleted'),
  );
  const cards = async () =>
    (await chat.messages(TRIAGE)).filter(({ metadata }) => metadata?.event_payload['card'] === ticket.id);
  expect(await cards()).toEqual([]);
  world.clock.pass(20_000);
  await ticket.write('we bring a new one', 'mira');
  // The engine has the database's clock, and its posts wait by that one.
  const next = async () => {
    await makePostsDue();
    return (await cards())[0];
  };
  const card = await until('the next card', next, { seen: cards });
  const shown = async () => {
    await makePostsDue();
    return (await inTeam(card)).length === 2;
  };
  await until('both messages below it', shown, { seen: () => inTeam(card) });
  await world.untilIdle();
  expect(await inTeam(card)).toEqual(['Ada Reyes: louder every day', 'Mira Lind: we bring a new one']);
  expect(await cards()).toHaveLength(1);
  expect((await runCommand(['dead-letters', 'list'], environment)).out).toContain('No dead letters.');
});

/** A post that was refused by a rate limit, or waits for the end of one. */
const LIMITED = `done_at is null and kind = 'send' and error is not null`;

async function withDatabase(work: (database: pg.Client) => Promise<unknown>): Promise<void> {
  const database = new pg.Client({ connectionString: world.environment['DATABASE_URL'] });
  await database.connect();
  try {
    await work(database);
  } finally {
    await database.end();
  }
}

const untilPostWaits = () =>
  withDatabase((database) =>
    until('the post to wait', async () => {
      const { rowCount } = await database.query(`select from bridge.work where ${LIMITED}`);
      return rowCount === 1;
    }),
  );

const makePostsDue = () => withDatabase((database) => makeDue(database, LIMITED));
