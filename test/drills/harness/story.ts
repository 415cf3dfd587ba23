import { DEMO } from '../../../src/start/demo.ts';
import type { SeenMessage } from '../../harness/chat.ts';
import { PIXEL, servePicture } from '../../harness/picture.ts';
import { until } from '../../harness/until.ts';
import type { World } from '../../harness/world.ts';
import { checkNow } from './at-any-time.ts';
import {
  AGENT,
  type Difference,
  differences,
  inThread,
  type Line,
  noteDifferences,
  notesIn,
  onTicket,
  PEOPLE,
  togetherDifferences,
  withPicture,
} from './both-sides.ts';
import { type Check, isPress, type Press, Presses } from './presses.ts';
import { type Audience, WATCHED } from './secrets.ts';
import { isTeamAct, type TeamAct, TeamActs } from './team-acts.ts';

const CHANNEL = 'it-help';
/** Who asks in every conversation. */
const REQUESTER = 'ada';
const EMOJI = ['tada', 'heart', 'rocket'] as const;
/** How likely it is that a reaction is taken back, where one stands. */
const TAKES_BACK = 0.5;

/** A message whose event was lost is found by a comparison, which a bridge that was away makes late. */
const FOUND_WITHIN_MS = 300_000;

/** The acts in a conversation, on either side. */
export const ACTS = [
  'create',
  'create and rename',
  'reply',
  'reply with a file',
  'edit',
  'edit twice',
  'delete',
  'react',
  'answer',
  'answer with a picture',
  'edit answer',
  'edit answer twice',
  'delete answer',
  'react at the desk',
  'change the card',
] as const;
export type Act = (typeof ACTS)[number];

/** A conversation, and what both sides must show of it in the end. */
export interface Conversation {
  root: string;
  ticketId: string;
  lines: Line[];
  /** Internal notes from the desk. */
  notes: Line[];
  /** The title on the ticket's card. */
  title: string;
  /**
   * Its ticket is merged, moved and made private: where its lines stand then, the history alone says. What the tickets of
   * all such conversations must have is known of them together.
   */
  isMoving: boolean;
  /** Of those that move: it is never merged, which would keep it from being moved and made private. */
  staysApart: boolean;
  isMerged: boolean;
  audience: Audience;
  /** The status that a reply of the requester ends; undefined if none is expected. */
  ended: { label: 'Waiting' | 'Done'; isReplied: boolean } | undefined;
  /** Further conditions. */
  checks: Check[];
}

/** The two sides of a conversation; neither is ever killed. */
interface Sides {
  chat: World['chat'];
  service: World['service'];
  /** The service's URL for the bridge, with `/api`. */
  serviceUrl: string;
}

/** Facts that do not change during a story. */
interface Facts {
  bot: string;
  /** The service's users by id. */
  users: Map<string, string>;
  /** The URL of a picture. */
  picture: string;
}

/** Everything that was done, and its expected result on both sides. */
export class Story {
  readonly #world: Sides;
  readonly #random: () => number;
  readonly conversations: Conversation[] = [];
  readonly #presses: Presses;
  readonly #team: TeamActs;
  #facts: Promise<Facts> | undefined;
  #count = 0;

  /**
   * @param random chooses who acts, and on which message.
   * @param tell takes what came of an act, if that is not certain.
   */
  constructor(world: Sides, random: () => number, tell: (what: string) => void = () => undefined) {
    this.#world = world;
    this.#random = random;
    this.#presses = new Presses(world);
    this.#team = new TeamActs({
      service: world.service,
      conversations: this.conversations,
      agentId: async () => idOf((await this.#known()).users, AGENT),
      textOf: (beginning) => `${beginning} ${++this.#count}`,
      oneOf: (items) => this.#one(items),
      seenByTeam: (conversation) => this.seenByTeam(conversation),
      tell,
    });
  }

  /** Creates what acts need besides conversations, so that none of them does so first. */
  async prepare(): Promise<void> {
    await this.#known();
    await this.#team.prepare();
  }

  /** Numbers what is said from here on, whatever was said before. */
  numberFrom(count: number): void {
    this.#count = count;
    this.#presses.numberFrom(count);
  }

  /** What begins with these words is for the team alone. */
  keepFromRequesters(words: string): void {
    this.#team.secrets.add(words, { isPrivate: false, queue: 'IT' }, true);
  }

  /** Starts a conversation with messages of both sides, so that every act is possible. */
  async begin({ isMoving = false, staysApart = false } = {}): Promise<Conversation> {
    const conversation = await this.create();
    Object.assign(conversation, { isMoving, staysApart });
    await this.#linked(conversation);
    for (const act of ['reply', 'answer', 'reply', 'answer'] as const) await this.act(act, conversation);
    return conversation;
  }

  /** Acts on the side of the author; that side is never killed. */
  async act(act: Act | Press | TeamAct, conversation: Conversation): Promise<void> {
    if (isPress(act)) {
      conversation.checks.push(await this.#presses.press(act, conversation));
      return;
    }
    if (isTeamAct(act)) return this.#team.act(act, conversation);
    const { chat, service } = this.#world;
    const { ticketId } = conversation;
    switch (act) {
      case 'create':
        await this.create();
        return;
      case 'create and rename':
        return this.createAndRename();
      case 'reply':
      case 'reply with a file':
        return this.#reply(conversation, act === 'reply with a file');
      case 'answer':
      case 'answer with a picture':
        return this.#answer(conversation, act === 'answer with a picture');
      case 'edit':
        await this.edit(conversation);
        return;
      case 'edit twice':
        // Somebody who sees a mistake right after they have saved.
        await this.edit(conversation, await this.edit(conversation));
        return;
      case 'edit answer':
      case 'edit answer twice': {
        const line = this.#line(conversation, 'agent');
        const { picture } = await this.#known();
        for (let edits = act === 'edit answer twice' ? 2 : 1; edits > 0; edits--) {
          line.text = this.#words();
          this.#team.rewritten(line, conversation, false);
          const content = withPicture(line.text, line.file, picture);
          await service.updateTicketMessage({ params: { id: line.id }, body: { content } });
        }
        return;
      }
      case 'delete': {
        if (this.#lines(conversation, 'people').length === 1) return this.#reply(conversation, false);
        const line = this.#line(conversation, 'people');
        line.deleted = true;
        // Deleted before it reaches the ticket, it reopens nothing.
        conversation.ended = undefined;
        await chat.remove(CHANNEL, line.by, line.id);
        return;
      }
      case 'delete answer': {
        if (this.#lines(conversation, 'agent').length === 1) return this.#answer(conversation, false);
        const line = this.#line(conversation, 'agent');
        line.deleted = true;
        await service.deleteTicketMessage({ params: { id: line.id } });
        return;
      }
      case 'react':
        return this.#react(conversation);
      case 'react at the desk':
        return this.#reactAtDesk(conversation);
      case 'change the card': {
        conversation.title = `request ${++this.#count}`;
        await service.updateTicket({
          params: { id: ticketId },
          body: { data: { title: conversation.title } },
        });
        this.#team.secrets.add(conversation.title, conversation.audience, false);
      }
    }
  }

  /** Waits until both sides are as expected, in all conversations from `first` on. */
  async settled(first = 0): Promise<void> {
    for (const conversation of this.conversations.slice(first)) {
      await this.#linked(conversation);
      await until(
        `both sides of ${conversation.root} to be the same`,
        async () => (await this.trouble(conversation)).length === 0,
        { withinMs: 300_000, seen: () => this.trouble(conversation) },
      );
    }
  }

  /** What breaks a promise that holds at any moment, whatever is still on its way; empty if all is well. */
  async troubleNow(): Promise<Difference[]> {
    const places = new Map<string, SeenMessage[]>();
    for (const name of WATCHED) places.set(name, await this.#world.chat.messages(name));
    return [...this.#team.misplaced, ...checkNow(places, this.conversations, this.#team.secrets)];
  }

  /** As `trouble`, of all conversations whose tickets are merged, moved and made private. */
  async troubleOfMoving(): Promise<Difference[]> {
    const moving = this.conversations.filter(({ isMoving }) => isMoving);
    const { users } = await this.#known();
    const ids = moving.map(({ ticketId }) => ticketId);
    const written = {
      lines: moving.flatMap(({ lines }) => lines),
      notes: moving.flatMap(({ notes }) => notes),
    };
    return togetherDifferences(this.#world.service, ids, written, users);
  }

  /**
   * The differences from the expected end state: lost, doubled, out of order, wrong. Empty if all is well.
   */
  async trouble(conversation: Conversation): Promise<Difference[]> {
    if (conversation.isMoving) return [];
    const { chat, service } = this.#world;
    const { bot, users } = await this.#known();
    const thread = await chat.thread(CHANNEL, conversation.root);
    const { id } = DEMO.channels.itTriage;
    const { chatThreads, status } = await service.readTicket({ params: { id: conversation.ticketId } });
    const team = chatThreads.find(({ channelId }) => channelId === id);
    const { seen: ticket, notes, arrivals } = await onTicket(service, conversation.ticketId, users);
    const teamThread = team ? await chat.thread(id, team.messageTs) : [];
    const sides = {
      chat: inThread('chat', thread, bot),
      team: inThread('team', teamThread, bot),
      ticket,
    };
    const troubles = differences(conversation.lines, sides, arrivals);
    troubles.push(...noteDifferences(conversation.notes, { team: notesIn(teamThread), ticket: notes }));
    const isWrong = (what: string) => troubles.push({ kind: 'different', what });
    const isCard = ({ metadata }: SeenMessage) => metadata?.event_payload['card'] === conversation.ticketId;
    const cards = thread.filter(isCard);
    if (cards.length > 1) troubles.push({ kind: 'doubled', what: `${cards.length} cards` });
    const teamCards = (await chat.messages(id)).filter(isCard);
    if (teamCards.length > 1)
      troubles.push({ kind: 'doubled', what: `${teamCards.length} cards of the team` });
    if (cards.length === 0) troubles.push({ kind: 'lost', what: 'its card' });
    else if (!JSON.stringify(cards[0]?.blocks ?? []).includes(conversation.title))
      isWrong(`the card does not show ${conversation.title}`);
    const { ended } = conversation;
    if (ended?.isReplied && status.label === ended.label)
      isWrong(`it is ${ended.label}, though its requester has replied since`);
    for (const check of conversation.checks) for (const what of await check()) isWrong(what);
    return troubles;
  }

  /** Waits until the team has its card of a ticket; a ticket that is done before that gets none. */
  async seenByTeam({ ticketId }: Conversation): Promise<void> {
    const isSeen = async () => {
      const { chatThreads } = await this.#world.service.readTicket({ params: { id: ticketId } });
      return chatThreads.some(({ channelId }) => channelId === DEMO.channels.itTriage.id);
    };
    await until(`the team’s card of ${ticketId}`, isSeen, { withinMs: FOUND_WITHIN_MS });
  }

  /** Waits until a ticket has what people wrote: a reply that comes late ends the status that an act sets. */
  async arrived({ ticketId, lines }: Conversation): Promise<void> {
    const said = lines.filter(({ by }) => by !== AGENT);
    const isThere = async () => {
      const query = { ticketId, limit: 1000 } as const;
      const { items } = await this.#world.service.listTicketMessages({ query });
      return said.every(({ id }) =>
        items.some(({ chatMessages }) => chatMessages.some(({ ts }) => ts === id)),
      );
    };
    await until(`the replies on ${ticketId}`, isThere, { withinMs: FOUND_WITHIN_MS });
  }

  /** A user asks for help; waits for the ticket. */
  async create(): Promise<Conversation> {
    const { bot } = await this.#known();
    const title = `request ${++this.#count}`;
    const { ts } = await this.#world.chat.say(CHANNEL, REQUESTER, `<@${bot}> ${title}`);
    const conversation: Conversation = {
      root: ts,
      ticketId: '',
      lines: [],
      notes: [],
      title,
      isMoving: false,
      staysApart: false,
      isMerged: false,
      audience: { isPrivate: false, queue: 'IT' },
      ended: undefined,
      checks: [],
    };
    this.conversations.push(conversation);
    return conversation;
  }

  /** A user asks for help, and as soon as there is a ticket it is renamed: its cards are still on their way. */
  async createAndRename(): Promise<void> {
    const created = await this.create();
    await this.#linked(created);
    await this.act('change the card', created);
  }

  /** Somebody edits a message of theirs; returns it. */
  async edit(conversation: Conversation, line = this.#line(conversation, 'people')): Promise<Line> {
    line.text = this.#words();
    await this.#world.chat.edit(CHANNEL, line.by, line.id, line.text);
    return line;
  }

  /** The requester says one more thing. */
  async replyOfRequester(conversation: Conversation): Promise<void> {
    return this.#reply(conversation, false, REQUESTER);
  }

  async #reply(
    { root, lines, ended }: Conversation,
    withFile: boolean,
    by = this.#one(PEOPLE),
  ): Promise<void> {
    const { chat } = this.#world;
    const text = this.#words();
    const line: Line = { by, id: '', text, deleted: false, held: new Set() };
    if (withFile) {
      line.file = `${text}.png`;
      const files = [{ name: line.file, content: PIXEL.toString('base64') }];
      const sent = await chat.post<{ message: { ts: string } }>('upload', {
        channel: CHANNEL,
        user: by,
        thread_ts: root,
        text,
        files,
      });
      line.id = sent.message.ts;
    } else line.id = (await chat.say(CHANNEL, by, text, root)).ts;
    lines.push(line);
    if (ended && by === REQUESTER) ended.isReplied = true;
  }

  async #answer(conversation: Conversation, withFile: boolean): Promise<void> {
    const { users, picture } = await this.#known();
    const text = this.#words();
    const file = withFile ? { file: `picture of ${text}` } : {};
    const { id, ticketId } = await this.#world.service.createTicketMessage({
      body: {
        ticketId: conversation.ticketId,
        authorId: idOf(users, AGENT),
        content: withPicture(text, file.file, picture),
      },
    });
    const line: Line = { by: AGENT, id, ticketId, text, ...file, deleted: false, held: new Set() };
    this.#team.written(line, conversation, false);
    conversation.lines.push(line);
  }

  /** A user in chat adds a reaction to a message, or removes it. */
  async #react({ root, lines }: Conversation): Promise<void> {
    const { chat } = this.#world;
    const thread = await chat.thread(CHANNEL, root);
    const places = lines
      .filter(({ deleted }) => !deleted)
      .flatMap((line) => {
        if (line.by !== AGENT) return [{ line, ts: line.id }];
        const post = thread.find(({ metadata }) => metadata?.event_payload['message'] === line.id);
        return post ? [{ line, ts: post.ts }] : [];
      });
    const { line, ts, emoji, who } = this.#reactionOn(places, PEOPLE);
    await chat.react(CHANNEL, who, ts, emoji, toggled(line.held, `${emoji} ${who}`));
  }

  /** The agent adds a reaction to a ticket message, or removes it. */
  async #reactAtDesk({ ticketId, lines }: Conversation): Promise<void> {
    const { service } = this.#world;
    const { items } = await service.listTicketMessages({ query: { ticketId, limit: 1000 } });
    const places = lines
      .filter(({ deleted }) => !deleted)
      .flatMap((line) => {
        const item = items.find(
          ({ id, chatMessages }) => id === line.id || chatMessages.some(({ ts }) => ts === line.id),
        );
        return item && !item.deleted ? [{ line, id: item.id }] : [];
      });
    // All may be on the ticket into which it was merged.
    if (places.length === 0) return;
    const { line, id, emoji } = this.#reactionOn(places, [AGENT]);
    const call = { params: { id }, body: { emoji, authorId: idOf((await this.#known()).users, AGENT) } };
    await (toggled(line.held, `${emoji} ${AGENT}`)
      ? service.addReaction(call)
      : service.removeReaction(call));
  }

  /** Chooses a message, and a reaction that one of these people adds there or, often, takes back. */
  #reactionOn<Place extends { line: Line }>(
    places: readonly Place[],
    people: readonly string[],
  ): Place & { emoji: string; who: string } {
    const standing = places.flatMap((place) =>
      [...place.line.held].flatMap((held) => {
        const [emoji = '', who = ''] = held.split(' ');
        return people.includes(who) ? [{ ...place, emoji, who }] : [];
      }),
    );
    if (standing.length > 0 && this.#random() < TAKES_BACK) return this.#one(standing);
    return { ...this.#one(places), emoji: this.#one(EMOJI), who: this.#one(people) };
  }

  #words(): string {
    return `line ${++this.#count}`;
  }

  #line(conversation: Conversation, by: 'people' | 'agent'): Line {
    return this.#one(this.#lines(conversation, by));
  }

  /**
   * The lines of a side that are not deleted; never empty, because the last line is never deleted but
   * answered.
   */
  #lines({ lines }: Conversation, by: 'people' | 'agent'): Line[] {
    return lines.filter((line) => (line.by === AGENT) === (by === 'agent') && !line.deleted);
  }

  #one<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.#random() * items.length)];
    if (item === undefined) throw new Error('nothing to choose from');
    return item;
  }

  #known(): Promise<Facts> {
    return (this.#facts ??= this.#learn());
  }

  async #learn(): Promise<Facts> {
    const { chat, service, serviceUrl } = this.#world;
    const users = new Map<string, string>();
    for (const name of [...PEOPLE, AGENT]) {
      const { items } = await service.listUsers({ query: { email: `${name}@acme.example` } });
      users.set(items[0]?.id ?? '', name);
    }
    const picture = await servePicture({ service, urls: { api: serviceUrl } }, PIXEL);
    return { bot: (await chat.state()).bot, users, picture };
  }

  async #linked(conversation: Conversation): Promise<void> {
    if (conversation.ticketId) return;
    const { channels } = await this.#world.chat.state();
    // In another channel a card may have been posted at the same moment.
    const query = { chatMessageTs: conversation.root, chatChannelId: channels[CHANNEL] ?? '' };
    const opened = async () => {
      const { items } = await this.#world.service.listTickets({ query });
      if (items.length > 1)
        throw new Error(`doubled: ${items.map(({ code }) => code).join(', ')} for one message`);
      return items[0]?.id;
    };
    conversation.ticketId = await until(`a ticket for ${conversation.root}`, opened, {
      withinMs: FOUND_WITHIN_MS,
    });
  }
}

/** Adds the reaction or removes it; returns whether it is there now. */
function toggled(held: Set<string>, one: string): boolean {
  if (held.delete(one)) return false;
  held.add(one);
  return true;
}

function idOf(users: Map<string, string>, name: string): string {
  return [...users].find(([, one]) => one === name)?.[0] ?? '';
}
