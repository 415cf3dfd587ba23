import { expect } from 'vitest';

import { readPostMetadata } from '../../../src/bridge/slack/post-metadata.ts';
import type { SeenMessage } from '../../harness/chat.ts';
import { PIXEL, servePicture } from '../../harness/picture.ts';
import { runCommand } from '../../harness/run-command.ts';
import { seeded } from '../../harness/seeded.ts';
import { until } from '../../harness/until.ts';
import { startWorld, type World } from '../../harness/world.ts';

const CHANNEL = 'it-help';
/** Neither belongs to the queue's team; both can read the channels. */
const PEOPLE = ['ada', 'ben'] as const;
type Person = (typeof PEOPLE)[number];
const CHANNELS = [CHANNEL, 'people-help', 'general'];
/** A triage channel of the queue that everybody can read: it shows notes of tickets that are not private. */
const OPEN_TRIAGE = 'it-open';
const EMOJI = ['tada', 'heart'] as const;

/** Texts that only some people may ever read in chat. */
interface Secret {
  mark: string;
  readers: readonly Person[];
}

interface Ticket {
  id: string;
  code: string;
  requester: Person;
  private: boolean;
  root: SeenMessage;
  /** A word in its texts that is not secret, for others to search for. */
  topic: string;
}

/** Random traffic about public and private matters; every private text contains a mark. */
class Traffic {
  readonly #world: World;
  readonly #random: () => number;
  readonly #tickets: Ticket[] = [];
  readonly secrets: Secret[] = [];
  /** Direct conversations with the bot. */
  readonly directs = new Map<Person, string>();
  /** Private channels of tickets, each with the only one of these people in it. */
  readonly rooms = new Map<string, Person>();
  readonly did: string[] = [];
  /** Reactions of people to the first message of all. */
  readonly #given = new Set<string>();
  #count = 0;
  #bot = '';
  #picture = '';
  /** A user of the team. */
  #agent = '';

  constructor(world: World, random: () => number) {
    this.#world = world;
    this.#random = random;
  }

  async begin(): Promise<void> {
    const { chat, service } = this.#world;
    this.#bot = (await chat.state()).bot;
    this.#picture = await servePicture(this.#world, PIXEL);
    const { items } = await service.listUsers({ query: { email: 'mira@acme.example' } });
    this.#agent = items[0]?.id ?? '';
    await chat.post('create-channel', { user: 'mira', name: OPEN_TRIAGE });
    await chat.post('invite', { channel: OPEN_TRIAGE, user: 'mira', member: 'deskbridge' });
    await chat.command(OPEN_TRIAGE, 'mira', 'link IT triage');
    await until('the open triage channel', async () =>
      (await chat.ephemeral(OPEN_TRIAGE, 'mira'))?.text.includes('the whole conversation'),
    );
    await this.#open('ada', false);
    await this.#open('ben', false);
    await this.#open('ben', true);
  }

  /** Writes on a ticket that is not private; there is always one. */
  async sayInPublic(content: string): Promise<void> {
    const { id: ticketId } = this.#one(this.#tickets.filter((one) => !one.private));
    await this.#world.service.createTicketMessage({ body: { ticketId, content } });
    await this.#world.untilIdle();
  }

  /** Every kind once, in random order. */
  async each(): Promise<void> {
    const left = Object.keys(this.#acts());
    while (left.length > 0) {
      const name = this.#one(left);
      left.splice(left.indexOf(name), 1);
      await this.#act(name);
    }
  }

  async steps(count: number): Promise<void> {
    for (let n = 0; n < count; n++) await this.#act(this.#one(Object.keys(this.#acts())));
  }

  async #act(name: string): Promise<void> {
    this.did.push(name);
    await this.#acts()[name]?.();
  }

  #acts(): Record<string, () => Promise<unknown>> {
    const { chat, service } = this.#world;
    const who = this.#one(PEOPLE);
    const ticket = this.#one(this.#tickets);
    const open = this.#one(this.#tickets.filter((one) => !one.private));
    const write = (of: Ticket, content: string, isPrivate: boolean) =>
      service.createTicketMessage({ body: { ticketId: of.id, content, private: isPrivate } });
    const hide = (id: string, content?: string) =>
      service.updateTicketMessage({
        params: { id },
        body: { private: true, ...(content ? { content } : {}) },
      });
    return {
      'a public ticket': () => this.#open(who, false),
      'a direct ticket': () => this.#open(who, true),
      'a ticket by command': () => chat.command('general', who, `new ${this.#secret([who])}`),
      'a note': () => write(ticket, `${ticket.topic} ${this.#secret([])}`, true),
      'a note with a link': () =>
        write(ticket, `<https://desk.example/tickets/${ticket.code}|${this.#secret([])}>`, true),
      'an answer': () =>
        write(
          ticket,
          `${ticket.topic} ${ticket.private ? this.#secret([ticket.requester]) : 'words'}`,
          false,
        ),
      'a slip taken back': async () => {
        const { id } = await write(open, this.#secret([]), false);
        if (this.#random() < 0.5) await this.#world.untilBridgeIdle();
        await hide(id);
      },
      'an answer that becomes a note': async () => {
        const { id } = await write(open, 'what may be read', false);
        await hide(id, this.#secret([]));
      },
      'a post that cannot go through, taken back': async () => {
        const kind =
          this.#random() < 0.5 ? { kind: 'error', error: 'restricted_action' } : { kind: 'answer_lost' };
        await chat.post('faults', { faults: [{ method: 'chat.postMessage', ...kind, times: 1 }] });
        const { id } = await write(open, this.#secret([]), false);
        if (this.#random() < 0.5) await this.#world.untilBridgeIdle();
        await hide(id);
      },
      'a ticket made private': async () => {
        // At least one person must remain for the public conversations.
        if (this.#tickets.filter((one) => !one.private).length < 2) return;
        open.private = true;
        if (this.#random() < 0.5) await this.#world.untilBridgeIdle();
        await write(open, 'the last public words', false);
        await service.updateTicket({ params: { id: open.id }, body: { data: { private: true } } });
        const [title, description] = [this.#secret([open.requester]), this.#secret([open.requester])];
        await service.updateTicket({ params: { id: open.id }, body: { data: { title, description } } });
        await write(open, this.#secret([open.requester]), false);
      },
      'a reply': () =>
        open.root.channel.startsWith('D')
          ? chat.say('@deskbridge', open.requester, 'and another thing', open.root.ts)
          : chat.say(CHANNEL, who, 'and another thing', open.root.ts),
      'an edited direct message': async () => {
        const direct = this.#tickets.find((one) => one.root.channel.startsWith('D'));
        if (!direct) return;
        const { requester, root } = direct;
        const { ts } = await chat.say('@deskbridge', requester, this.#secret([requester]), root.ts);
        await chat.edit('@deskbridge', requester, ts, this.#secret([requester]));
      },
      'a file in a direct message': async () => {
        const direct = this.#tickets.find((one) => one.root.channel.startsWith('D'));
        if (!direct) return;
        const { requester: user, root } = direct;
        const name = `${this.#secret([user])}.png`;
        const files = [{ name, content: PIXEL.toString('base64') }];
        const text = this.#secret([user]);
        await chat.post('upload', { channel: '@deskbridge', user, text, thread_ts: root.ts, files });
      },
      'a picture in a note': () =>
        write(ticket, `${ticket.topic} ![${this.#secret([])}](${this.#picture})`, true),
      'a picture in an answer': () => {
        const name = ticket.private ? this.#secret([ticket.requester]) : 'a plan';
        return write(ticket, `${ticket.topic} ![${name}](${this.#picture})`, false);
      },
      'an emoji on a note': async () => {
        const { id } = await write(ticket, `${ticket.topic} ${this.#secret([])}`, true);
        const emoji = this.#secret([]).toLowerCase();
        await service.addReaction({ params: { id }, body: { emoji, authorId: this.#agent } });
      },
      'an emoji, and the answer becomes a note': async () => {
        const { id } = await write(open, this.#secret([]), false);
        await service.addReaction({ params: { id }, body: { emoji: 'tada', authorId: this.#agent } });
        if (this.#random() < 0.5) await this.#world.untilBridgeIdle();
        await hide(id);
      },
      'an emoji in chat': () => {
        const emoji = this.#one(EMOJI);
        const mine = `${emoji} ${who}`;
        const present = !this.#given.delete(mine);
        if (present) this.#given.add(mine);
        return chat.react(CHANNEL, who, this.#tickets[0]?.root.ts ?? '', emoji, present);
      },
      'a ticket with a channel of its own': () => this.#openAside(who),
      'a search': () => chat.command(this.#one(CHANNELS), who, `search ${ticket.topic}`),
      'a look': () => chat.command(this.#one(CHANNELS), who, `show ${ticket.code}`),
      'a status': () => chat.command(this.#one(CHANNELS), who, `status ${ticket.code} waiting`),
      retries: () => runCommand(['dead-letters', 'retry', 'all'], this.#world.environment),
    };
  }

  async #open(who: Person, direct: boolean): Promise<void> {
    const { chat, service } = this.#world;
    const topic = `topic${++this.#count}`;
    const words = `<@${this.#bot}> ${topic} ${direct ? this.#secret([who]) : 'for all to read'}`;
    const root = await chat.say(direct ? '@deskbridge' : CHANNEL, who, words);
    if (direct) this.directs.set(who, root.channel);
    const query = { chatMessageTs: root.ts, chatChannelId: root.channel };
    const { id, code } = await until(
      'the ticket',
      async () => (await service.listTickets({ query })).items[0],
    );
    this.#tickets.push({ id, code, requester: who, private: direct, root, topic });
  }

  /** A ticket opened by 🤫 is discussed in a private channel. */
  async #openAside(who: Person): Promise<void> {
    const { chat, service } = this.#world;
    if (this.rooms.size > 1) return;
    const topic = `topic${++this.#count}`;
    const root = await chat.say(CHANNEL, who, `${topic} for all to read`);
    await chat.react(CHANNEL, who, root.ts, 'shushing_face');
    const query = { chatMessageTs: root.ts, chatChannelId: root.channel };
    const { id, code } = await until(
      'the ticket of 🤫',
      async () => (await service.listTickets({ query })).items[0],
      { withinMs: 180_000 },
    );
    const room = `${code.toLowerCase()}-private`;
    await until('its channel', async () => room in (await chat.state()).channels, { withinMs: 180_000 });
    this.rooms.set(room, who);
    this.#tickets.push({ id, code, requester: who, private: true, root, topic });
    await service.createTicketMessage({ body: { ticketId: id, content: this.#secret([who]) } });
  }

  #secret(readers: readonly Person[]): string {
    const mark = `SECRET${++this.#count}X`;
    this.secrets.push({ mark, readers });
    return mark;
  }

  #one<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.#random() * items.length)];
    if (item === undefined) throw new Error('nothing to choose from');
    return item;
  }
}

/** Private texts that were readable where they must not be. */
async function leaks({ chat, service, log }: World, traffic: Traffic, printed: string): Promise<string[]> {
  const found: string[] = [];
  const look = (where: string, text: string, reader?: Person) => {
    const lower = text.toLowerCase();
    for (const { mark, readers } of traffic.secrets)
      if (lower.includes(mark.toLowerCase()) && !(reader && readers.includes(reader)))
        found.push(
          `${where}: ${/.{0,200}/.exec(text.slice(Math.max(0, lower.indexOf(mark.toLowerCase()) - 100)))?.[0] ?? ''}`,
        );
  };
  for (const reader of PEOPLE)
    for (const place of [...CHANNELS, traffic.directs.get(reader) ?? []].flat())
      for (const message of await chat.messages(place, reader))
        look(`${reader} in ${place}`, JSON.stringify(message), reader);
  for (const [room, reader] of traffic.rooms)
    for (const message of await chat.messages(room)) look(room, JSON.stringify(message), reader);
  found.push(...(await leftInOpenTriage({ chat, service })));
  look('the log', log.map((line) => JSON.stringify(line)).join('\n'));
  look('the command line', printed);
  return found;
}

/** What the triage channel that everybody can read still shows of private tickets, in whatever words. */
async function leftInOpenTriage({ chat, service }: Pick<World, 'chat' | 'service'>): Promise<string[]> {
  const closed = new Set<string>();
  const marks = new Set<string>();
  const note = (text: string | null) => text?.match(/SECRET\d+X/g)?.forEach((mark) => marks.add(mark));
  for await (const { id, private: isPrivate, title, description } of service.all('listTickets', {
    query: {},
  })) {
    if (!isPrivate) continue;
    note(title);
    note(description);
    const query = { ticketId: id, includeDeleted: true };
    for await (const message of service.all('listTicketMessages', { query })) {
      closed.add(message.id);
      note(message.content);
    }
  }
  return (await chat.messages(OPEN_TRIAGE)).flatMap((shown) => {
    const text = JSON.stringify(shown);
    const isClosed = closed.has(readPostMetadata(shown)?.metadata.message ?? '');
    const isMarked = [...marks].some((mark) => text.includes(mark));
    return isClosed || isMarked ? [`${OPEN_TRIAGE}: ${text.slice(0, 200)}`] : [];
  });
}

/**
 * Runs random traffic of people and teams about public and private matters, then compares, restores and
 * retries everything: nobody may have read what they may not see.
 * @param steps the number of random acts; by default, each kind once.
 */
export async function proveSecrecy(
  seed: number,
  { steps, settings }: { steps?: number; settings: Record<string, string> },
): Promise<void> {
  const world = await startWorld({ CHAT_READS_PER_MINUTE: '6000', ...settings });
  const traffic = new Traffic(world, seeded(seed));
  await traffic.begin();
  await (steps === undefined ? traffic.each() : traffic.steps(steps));
  await world.untilIdle();
  await world.chat.post('faults', { clear: true });
  let printed = '';
  for (const args of [
    ['dead-letters', 'list'],
    ['dead-letters', 'retry', 'all'],
    ['reconcile'],
    ['rebuild'],
  ]) {
    printed += (await runCommand(args, world.environment)).out;
    await world.untilIdle();
  }
  console.info(`privacy: seed ${seed}, ${traffic.secrets.length} secrets, ${traffic.did.join(', ')}`);
  expect(await leaks(world, traffic, printed)).toEqual([]);
  await traffic.sayInPublic('the team reads this');
  expect(JSON.stringify(await world.chat.messages(OPEN_TRIAGE))).toContain('the team reads this');
  // The test can read what it looks for: users with access see a secret.
  const own = traffic.secrets.find(({ readers }) => readers.includes('ben'));
  const direct = await world.chat.messages(traffic.directs.get('ben') ?? '', 'ben');
  expect(JSON.stringify(direct)).toContain(own?.mark);
}
