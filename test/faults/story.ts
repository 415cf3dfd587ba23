import { until } from '../harness/until.ts';
import type { World } from '../harness/world.ts';

const CHANNEL = 'it-help';
const PRIORITIES = ['URGENT', 'HIGH', 'MEDIUM', 'LOW'] as const;

/** What can happen in a conversation, on either side. */
export const ACTS = [
  'create',
  'reply',
  'edit',
  'delete',
  'answer',
  'edit answer',
  'delete answer',
  'change the card',
] as const;
export type Act = (typeof ACTS)[number];

/** One line of a conversation, as both sides must have it. */
interface Line {
  by: 'person' | 'agent';
  /** Timestamp in chat, or id on the ticket, whichever its author has. */
  id: string;
  text: string;
  deleted: boolean;
}

/** A conversation, and what both sides must show of it in the end. */
export interface Conversation {
  root: string;
  ticketId: string;
  lines: Line[];
  priority: number;
}

/** Where people and agents act; neither side is ever killed. */
type Sides = Pick<World, 'chat' | 'service'>;

/** Everything that was done, and what became of it on either side. */
export class Story {
  readonly #world: Sides;
  readonly conversations: Conversation[] = [];
  #bot = '';
  #count = 0;

  constructor(world: Sides) {
    this.#world = world;
  }

  /** A conversation with something in it of both sides, so that every act is possible. */
  async begin(): Promise<Conversation> {
    const conversation = await this.create();
    await this.#linked(conversation);
    for (const act of ['reply', 'answer', 'reply', 'answer'] as const) await this.act(act, conversation);
    return conversation;
  }

  /** Does it on the side of its author; that side is never killed. */
  async act(act: Act, conversation: Conversation): Promise<void> {
    const { chat, service } = this.#world;
    const text = `line ${++this.#count}`;
    switch (act) {
      case 'create':
        await this.create();
        return;
      case 'reply': {
        const { ts } = await chat.say(CHANNEL, 'ada', text, conversation.root);
        conversation.lines.push({ by: 'person', id: ts, text, deleted: false });
        return;
      }
      case 'answer': {
        const { id } = await service.createTicketMessage({
          body: { ticketId: conversation.ticketId, content: text },
        });
        conversation.lines.push({ by: 'agent', id, text, deleted: false });
        return;
      }
      case 'edit': {
        const line = last(conversation, 'person');
        await chat.edit(CHANNEL, 'ada', line.id, text);
        line.text = text;
        return;
      }
      case 'delete': {
        const line = last(conversation, 'person');
        await chat.remove(CHANNEL, 'ada', line.id);
        line.deleted = true;
        return;
      }
      case 'edit answer': {
        const line = last(conversation, 'agent');
        await service.updateTicketMessage({ params: { id: line.id }, body: { content: text } });
        line.text = text;
        return;
      }
      case 'delete answer': {
        const line = last(conversation, 'agent');
        await service.deleteTicketMessage({ params: { id: line.id } });
        line.deleted = true;
        return;
      }
      case 'change the card': {
        conversation.priority = (conversation.priority + 1) % PRIORITIES.length;
        await service.updateTicket({
          params: { id: conversation.ticketId },
          body: { data: { priority: PRIORITIES[conversation.priority] ?? 'LOW' } },
        });
      }
    }
  }

  /** Waits until both sides are as they must be, in all conversations from the `first` one on. */
  async settled(first = 0): Promise<void> {
    for (const conversation of this.conversations.slice(first)) {
      await this.#linked(conversation);
      await until(
        `both sides of ${conversation.root} to be the same`,
        async () => (await this.trouble(conversation)).length === 0,
        { withinMs: 120_000, seen: () => this.trouble(conversation) },
      );
    }
  }

  /** What is not as it must be: lost, doubled, out of order, wrong. Nothing when all is well. */
  async trouble(conversation: Conversation): Promise<string[]> {
    const { chat, service } = this.#world;
    const thread = await chat.thread(CHANNEL, conversation.root);
    const { items } = await service.listTicketMessages({ query: { ticketId: conversation.ticketId } });
    const inChat = thread.map(({ text }) => text).filter((text) => text.startsWith('line '));
    const onTicket = items.filter(({ deleted }) => !deleted).map(({ content }) => content);
    const troubles: string[] = [];
    for (const [side, texts] of [
      ['chat', inChat],
      ['ticket', onTicket],
    ] as const)
      for (const by of ['person', 'agent'] as const) {
        const wanted = conversation.lines
          .filter((line) => line.by === by && !line.deleted)
          .map(({ text }) => text);
        const all = new Set(conversation.lines.filter((line) => line.by !== by).map(({ text }) => text));
        const shown = texts.filter((text) => !all.has(text));
        if (JSON.stringify(shown) !== JSON.stringify(wanted))
          troubles.push(`${side}, ${by}: ${classed(shown, wanted)} ${JSON.stringify({ shown, wanted })}`);
      }
    const cards = thread.filter(({ metadata }) => metadata?.event_payload['card'] === conversation.ticketId);
    if (cards.length !== 1) troubles.push(`${cards.length} cards`);
    const priority = PRIORITIES[conversation.priority] ?? '';
    if (!new RegExp(priority, 'i').test(JSON.stringify(cards[0]?.blocks ?? [])))
      troubles.push(`the card does not show ${priority}`);
    return troubles;
  }

  /** Somebody asks for something; the ticket follows. */
  async create(): Promise<Conversation> {
    const { chat } = this.#world;
    this.#bot ||= (await chat.state()).bot;
    const { ts } = await chat.say(CHANNEL, 'ada', `<@${this.#bot}> request ${++this.#count}`);
    const conversation = { root: ts, ticketId: '', lines: [], priority: 2 };
    this.conversations.push(conversation);
    return conversation;
  }

  async #linked(conversation: Conversation): Promise<void> {
    if (conversation.ticketId) return;
    const query = { chatMessageTs: conversation.root };
    conversation.ticketId = await until(
      `a ticket for ${conversation.root}`,
      async () => {
        const { items } = await this.#world.service.listTickets({ query });
        if (items.length > 1) throw new Error(`doubled: ${items.length} tickets for one message`);
        return items[0]?.id;
      },
      { withinMs: 120_000 },
    );
  }
}

function last(conversation: Conversation, by: Line['by']): Line {
  const line = conversation.lines.findLast((one) => one.by === by && !one.deleted);
  if (!line) throw new Error(`no ${by} has said anything`);
  return line;
}

function classed(shown: readonly string[], wanted: readonly string[]): string {
  const lost = wanted.filter((text) => !shown.includes(text));
  const doubled = shown.filter((text, at) => shown.indexOf(text) !== at);
  if (lost.length > 0) return `lost ${lost.join(', ')};`;
  if (doubled.length > 0) return `doubled ${doubled.join(', ')};`;
  return 'out of order;';
}
