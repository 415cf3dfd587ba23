import pg from 'pg';

import { DEMO } from '../../src/start/demo.ts';
import type { Chance } from './chance.ts';
import { type Trouble, troubleOf } from './promises.ts';
import type { World } from './world.ts';

/** Where an AI agent answers, who asks, and who answers in its place. */
const CHANNEL = 'people-help';
const REQUESTER = 'ada';
const TEAM = 'mira';
const QUEUE = 'People';
const AGENT = 'Robin';

const ASKS_AGAIN = 0.4;
const TAKES_OVER = 0.15;

interface Row {
  questionId: string;
  outcome: string;
  messageId: string | null;
}

export interface Message {
  id: string;
  by: 'requester' | 'team' | 'agent';
  isNote: boolean;
  isDeleted: boolean;
}

/** Questions to an AI agent, and what must have come of them in the end. */
export class Questions {
  readonly #world: World;
  readonly #tell: (what: string) => void;
  /** The first messages of their threads. */
  readonly #roots: string[] = [];

  constructor(world: World, tell: (what: string) => void) {
    this.#world = world;
    this.#tell = tell;
  }

  /** Lets an AI agent answer in a queue of the demo. */
  async prepare(): Promise<void> {
    const { client: service } = this.#world;
    const queue = (await service.listQueues({ query: {} })).items.find(({ name }) => name === QUEUE);
    const agent = (await service.listAgents({ query: {} })).items.find(({ name }) => name === AGENT);
    if (!queue || !agent) throw new Error(`the demo lacks ${QUEUE} or ${AGENT}`);
    await service.updateQueue({ params: { id: queue.id }, body: { settings: { aiEnabled: true } } });
    await service.saveAgent({ body: { id: agent.id, enabled: true, autoEscalate: true } });
  }

  /** Somebody asks, or asks again where they have asked; or a person answers there, and the AI agent may not any more. */
  async ask(chance: Chance, number: number): Promise<void> {
    const { chat, client: service } = this.#world;
    const [again, takesOver, about] = [chance.happens(ASKS_AGAIN), chance.happens(TAKES_OVER), chance.next()];
    const root = this.#roots[Math.floor(about * this.#roots.length)];
    if (root === undefined || !(again || takesOver)) {
      const { bot } = await chat.state();
      const asked = `<@${bot}> how do I hand in the request for parental leave? question ${number}`;
      this.#roots.push((await chat.say(CHANNEL, REQUESTER, asked)).ts);
      return;
    }
    const ticket = takesOver ? await this.#ticketAt(root) : undefined;
    if (!ticket) {
      this.#tell('… once more');
      await chat.say(CHANNEL, REQUESTER, `and the copy of the maternity record? question ${number}`, root);
      return;
    }
    this.#tell(`… ${TEAM} answers`);
    const { items } = await service.listUsers({ query: { email: DEMO.people[TEAM].email } });
    const body = { ticketId: ticket.id, authorId: items[0]?.id ?? '', content: `I take over ${number}` };
    await service.createTicketMessage({ body });
  }

  /** What is not as it must be once nothing more happens, and how the questions ended. */
  async judge(): Promise<{ trouble: Trouble[]; outcomes: Record<string, number> }> {
    const trouble: Trouble[] = [];
    const outcomes: Record<string, number> = {};
    for (const root of this.#roots) {
      const ticket = await this.#ticketAt(root);
      if (!ticket) {
        trouble.push(troubleOf('lost', `no ticket for the question at ${root}`));
        continue;
      }
      const rows = await this.#rowsOf(ticket.id);
      trouble.push(...checkQuestions(ticket.id, rows, await this.#messagesOf(ticket)));
      for (const { outcome } of rows) {
        const name = `a question is ${outcome}`;
        outcomes[name] = (outcomes[name] ?? 0) + 1;
      }
    }
    return { trouble, outcomes };
  }

  async #ticketAt(root: string) {
    const { client: service, chat } = this.#world;
    const { channels } = await chat.state();
    const query = { chatMessageTs: root, chatChannelId: channels[CHANNEL] ?? '' };
    return (await service.listTickets({ query })).items[0];
  }

  async #messagesOf({ id: ticketId, requesterId }: { id: string; requesterId: string | null }) {
    const query = { ticketId, limit: 1000, includeDeleted: true } as const;
    const { items } = await this.#world.client.listTicketMessages({ query });
    return items.map(({ id, authorId, agent, private: isNote, deleted: isDeleted }): Message => {
      const by = agent ? 'agent' : authorId === requesterId ? 'requester' : 'team';
      return { id, by, isNote, isDeleted };
    });
  }

  async #rowsOf(ticketId: string): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.#world.databases.service.url });
    await client.connect();
    try {
      const { rows } = await client.query<Row>(
        `select question_id as "questionId", outcome, ticket_message_id as "messageId"
         from service.ai_answer where ticket_id = $1 order by created_at, question_id`,
        [ticketId],
      );
      return rows;
    } finally {
      await client.end();
    }
  }
}

/**
 * What is wrong with the answers of an AI agent on a ticket: each question is settled once, each answer stands once, none
 * came after a person had answered, and a hand-over is noted once.
 */
export function checkQuestions(
  ticketId: string,
  rows: readonly Row[],
  messages: readonly Message[],
): Trouble[] {
  const is = (kind: 'lost' | 'doubled' | 'different', what: string) =>
    troubleOf(kind, `${ticketId}: ${what}`);
  const answers = messages.filter(({ by, isNote }) => by === 'agent' && !isNote).map(({ id }) => id);
  const notes = messages.filter(({ by, isNote }) => by === 'agent' && isNote);
  const recorded = rows.flatMap(({ messageId }) => messageId ?? []);
  const takenOver = messages.findIndex(({ by, isNote }) => by === 'team' && !isNote);
  const asked = messages.filter(({ by, isNote, isDeleted }) => by === 'requester' && !isNote && !isDeleted);
  const handedOver = rows.filter(({ outcome }) => outcome === 'handed-over').length;
  return [
    ...[ticketId, ...asked.map(({ id }) => id)]
      .filter((id) => !rows.some(({ questionId }) => questionId === id))
      .map((id) => is('lost', `nothing came of the question ${id}`)),
    ...answers.filter((id) => !recorded.includes(id)).map((id) => is('doubled', `${id} answers no question`)),
    ...recorded.filter((id) => !answers.includes(id)).map((id) => is('lost', `the answer ${id}`)),
    ...(takenOver >= 0 && messages.slice(takenOver).some(({ id }) => answers.includes(id))
      ? [is('different', 'the AI agent answered after a person had')]
      : []),
    ...(notes.length === Math.min(handedOver, 1)
      ? []
      : [is('doubled', `${notes.length} notes of ${handedOver} hand-overs`)]),
  ];
}
