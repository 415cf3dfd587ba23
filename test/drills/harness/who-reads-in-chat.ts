import { expect } from 'vitest';

import { queueVisibility } from '../../../src/contract/index.ts';
import { until } from '../../harness/until.ts';
import {
  isForEveryone,
  type Reader,
  type ReadQueue,
  readsInSlack,
  type ReadTicket,
} from '../../harness/who-reads.ts';
import { startWorld } from '../../harness/world.ts';

interface Queue extends ReadQueue {
  prefix: string;
  autoAssignees: string[];
}
interface Person extends Reader {
  name: string;
  queueIds: string[] | null;
  triages: string[];
}
interface Ticket extends ReadTicket {
  id: string;
  code: string;
  /** A word of its title that no other text has. */
  word: string;
  queue: Queue;
  isPrivate: boolean;
  people: string[];
}

const WORDS = ['mokavi', 'zulimbo', 'quarnel', 'dravok', 'feshwin', 'yompert', 'blixtan', 'oruphe', 'kintaz'];

/** A message on each ticket, which the threads of its team show. */
const saidOf = ({ word }: { word: string }) => `said of ${word}`;

const help = ({ prefix }: Queue) => `help-${prefix.toLowerCase()}`;
const triage = ({ prefix }: Queue) => `triage-${prefix.toLowerCase()}`;

/** A random workspace in chat: every step changes who reads what. */
export async function createRandom(random: () => number) {
  // Another process could know a queue for so long as it was before.
  const world = await startWorld({ CHAT_SETTINGS_SECONDS: '1' });
  const { chat, service } = world;
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const ask = async (user: string, text: string, channel = 'general') => {
    const before = (await chat.ephemeral(channel, user))?.ts;
    await chat.command(channel, user, text);
    return until(`an answer to /ticket ${text}`, async () => {
      const last = await chat.ephemeral(channel, user);
      return last && last.ts !== before ? last : undefined;
    });
  };
  const press = async (user: string, messageTs: string, actionId: string) =>
    chat.post('interact', { channel: 'general', messageTs, user, action: { actionId } });
  await chat.post('noise', { unfurlDomains: ['127.0.0.1'] });
  await chat.post('add-person', { name: 'zoe', firstName: 'Zoe', email: 'zoe@acme.example' });
  await chat.post('join', { channel: 'general', user: 'zoe' });

  const queues: Queue[] = [];
  for (const prefix of ['AAA', 'BBB', 'CCC']) {
    const { id } = await service.createQueue({ body: { name: `Queue ${prefix}`, prefix } });
    const queue: Queue = { id, prefix, visibility: 'workspace', autoAssignees: [] };
    queues.push(queue);
    for (const [name, isPrivate] of [
      [help(queue), false],
      [triage(queue), true],
    ] as const) {
      const members = isPrivate ? (prefix === 'AAA' ? ['zoe'] : []) : ['ada', 'ben', 'sam', 'zoe'];
      await chat.post('create-channel', { user: 'mira', name, private: isPrivate, members });
      await chat.post('invite', { channel: name, user: 'mira', member: 'deskbridge' });
      expect((await ask('mira', `link ${prefix}${isPrivate ? ' triage' : ''}`, name)).text).toContain(prefix);
    }
  }
  const [first] = queues.map(({ id }) => id);
  const people: Person[] = [];
  for (const [name, role, queueIds] of [
    ['ada', 'requester', null],
    ['ben', 'agent', [first ?? '']],
    ['sam', 'agent', null],
    // Of the team of the first queue in chat only.
    ['zoe', 'requester', null],
  ] as const) {
    await ask(name, 'help');
    await chat.post('open-home', { user: name });
    const [user] = (await service.listUsers({ query: { email: `${name}@acme.example` } })).items;
    const person = { personId: user?.id ?? '', role, queueIds: queueIds && [...queueIds] };
    await service.updateUser({ params: { id: person.personId }, body: { role, queueIds: person.queueIds } });
    people.push({ ...person, name, triages: name === 'zoe' ? [first ?? ''] : [] });
  }
  const tickets: Ticket[] = [];
  const open = async (isPrivate: boolean) => {
    const word = WORDS[tickets.length];
    if (word === undefined) return;
    const [queue, requester, follower] = [pick(queues), pick(people).personId, pick(people).personId];
    const { id, code } = await service.createTicket({
      body: {
        title: `striped ${word}`,
        queueId: queue.id,
        private: isPrivate,
        requesterId: requester,
        authorId: requester,
        followers: [{ id: follower }],
      },
    });
    // Whom the queue assigns by itself would be one more who takes part.
    await service.updateTicket({ params: { id }, body: { data: { assigneeId: null } } });
    await service.createTicketMessage({ body: { ticketId: id, content: saidOf({ word }) } });
    tickets.push({ id, code, word, queue, isPrivate, people: [requester, follower] });
  };
  const isTaken = async (write: Promise<unknown>) => write.then(() => true).catch(() => false);
  const steps = {
    open: () => open(random() < 0.3),
    async move() {
      const [ticket, queue] = [pick(tickets), pick(queues)];
      const { code } = await service.updateTicket({
        params: { id: ticket.id },
        body: { data: { queueId: queue.id } },
      });
      Object.assign(ticket, { queue, code });
    },
    async makePrivate() {
      const ticket = pick(tickets);
      ticket.isPrivate = !ticket.isPrivate;
      const body = { data: { private: ticket.isPrivate } };
      await service.updateTicket({ params: { id: ticket.id }, body });
    },
    async switchQueue() {
      const [queue, visibility] = [pick(queues), pick(queueVisibility.options)];
      if (await isTaken(service.updateQueue({ params: { id: queue.id }, body: { visibility } })))
        queue.visibility = visibility;
    },
    async nameAutoAssignees() {
      const queue = pick(queues);
      const autoAssignees = people.flatMap(({ personId }) => (random() < 0.2 ? [personId] : []));
      const body = { autoAssignees: autoAssignees.join(',') };
      if (await isTaken(service.updateQueue({ params: { id: queue.id }, body })))
        queue.autoAssignees = autoAssignees;
    },
    async changePerson() {
      const agent = pick(people.filter(({ role }) => role === 'agent'));
      const queueIds = queues.flatMap(({ id }) => (random() < 0.4 ? [id] : []));
      await service.updateUser({ params: { id: agent.personId }, body: { queueIds } });
      agent.queueIds = queueIds;
    },
    /** Somebody shows a ticket to everybody, as a card and as a link. */
    async share() {
      const [person, ticket] = [pick(people), pick(tickets)];
      await chat.say('general', person.name, `see <${world.urls.root}/tickets/${ticket.code}>`);
      const { ts, text } = await ask(person.name, `show ${ticket.code}`);
      if (text.includes(ticket.word)) await press(person.name, ts, 'share_ticket');
    },
  };
  const step = async () => steps[pick(Object.keys(steps) as (keyof typeof steps)[])]();
  for (const isPrivate of [true, false, false, false, false]) await open(isPrivate);
  for (let count = 0; count < 3; count++) await steps.share();
  return { world, queues, people, tickets, step, ask };
}

type RandomWorld = Awaited<ReturnType<typeof createRandom>>;

/** What everybody in a channel reads, and whether a ticket may be there. */
const CHANNELS: Record<string, (ticket: Ticket, queue: Queue | undefined) => boolean> = {
  general: isForEveryone,
  triage: (ticket, queue) => isForEveryone(ticket) || ticket.queue === queue,
};

/** Returns where posts of the bot show a ticket to others than its readers: channels, and messages to one person. */
async function shownToOthers({ world: { chat }, queues, people, tickets }: RandomWorld): Promise<string[]> {
  const places = [
    { surface: 'general', channel: 'general', queue: undefined },
    ...queues.map((queue) => ({ surface: 'triage', channel: triage(queue), queue })),
  ];
  const shown: string[] = [];
  for (const { surface, channel, queue } of places) {
    const text = JSON.stringify(await chat.messages(channel));
    for (const ticket of tickets)
      if (text.includes(ticket.word) && !CHANNELS[surface]?.(ticket, queue)) shown.push(surface);
  }
  for (const person of people) {
    const text = JSON.stringify(await chat.messages('@deskbridge', person.name));
    for (const ticket of tickets)
      if (text.includes(ticket.word) && !readsInSlack(person, ticket)) shown.push('direct messages');
  }
  return [...new Set(shown)];
}

/**
 * Compares what each surface in chat shows each person with the rule.
 * @param choose a random number: about half of the tickets are also named in commands.
 */
export async function compare(random: RandomWorld, choose: () => number, { isTakenBack = true } = {}) {
  const { world, queues, people, tickets, ask } = random;
  const { chat, clock } = world;
  clock.pass(2_000);
  // What others could see goes within seconds; then it stays away.
  if (isTakenBack)
    await until('everything to be taken back', async () => (await shownToOthers(random)).length === 0, {
      seen: () => shownToOthers(random),
    });
  await world.untilIdle();
  const different = new Set(await shownToOthers(random));
  let comparisons = tickets.length * (queues.length + 1 + people.length);
  const check = (surface: string, isSame: boolean) => {
    comparisons += 1;
    if (!isSame) different.add(surface);
  };
  const inOrder = JSON.stringify;
  for (const queue of queues) {
    const text = inOrder(await chat.messages(triage(queue)));
    const own = tickets.filter((ticket) => ticket.queue === queue);
    for (const ticket of own) check('team thread', text.includes(saidOf(ticket)));
  }
  for (const person of people) {
    const reads = (ticket: Ticket) => readsInSlack(person, ticket);
    const searched = inOrder(await ask(person.name, 'search striped'));
    const home = inOrder(await chat.read(`views/${person.name}`));
    for (const ticket of tickets) {
      check('search', searched.includes(ticket.word) === reads(ticket));
      check('home', !home.includes(ticket.word) || reads(ticket));
    }
    for (const queue of queues) {
      const list = await ask(person.name, 'list open', help(queue));
      const own = tickets.filter((ticket) => ticket.queue === queue);
      for (const ticket of own) check('list', inOrder(list).includes(ticket.word) === reads(ticket));
      const count = Number(/: (\d+)$/.exec(list.text)?.[1] ?? 0);
      check('count', count === own.filter(reads).length);
      const { text } = await ask(person.name, 'stats', help(queue));
      check('figures', /\*\d/.test(text) === readsInSlack(person, { queue, isPrivate: false, people: [] }));
    }
    for (const ticket of tickets.filter(() => choose() < 0.5)) {
      const card = inOrder(await ask(person.name, `show ${ticket.code}`));
      check('show', card.includes(ticket.word) === reads(ticket));
      const { text } = await ask(person.name, `why ${ticket.code}`);
      check('why', text.startsWith('You can read') === reads(ticket));
    }
  }
  return { comparisons, different: [...different].toSorted() };
}

/** Compares at some moments of a random workspace in chat; resolves to the number of comparisons. */
export async function walkInChat(random: () => number, rounds: number) {
  const world = await createRandom(random);
  let comparisons = 0;
  for (let round = 0; round < rounds; round++) {
    for (let count = 0; count < (round === 0 ? 0 : 4); count++) await world.step();
    const compared = await compare(world, random);
    expect([round, compared.different]).toEqual([round, []]);
    comparisons += compared.comparisons;
  }
  return { world, comparisons };
}
