import { DEMO } from '../../src/start/demo.ts';
import { repeatUntilAccepted } from '../drills/harness/presses.ts';
import type { Chance } from './chance.ts';
import { type Trouble, troubleOf } from './promises.ts';
import { rowsOf } from './rows.ts';
import type { World } from './world.ts';

/** Where an AI agent answers, who asks, and who answers in its place. */
const CHANNEL = 'people-help';
const REQUESTER = 'ada';
const TEAM = 'mira';
const QUEUE = 'People';
const AGENT = 'Robin';

const ASKS_AGAIN = 0.4;
const TAKES_OVER = 0.15;

/** The buttons under an answer, how likely each is pressed, and the reaction that it leaves. */
const RATINGS = { answer_failed: 3, answer_helped: 2 } as const;
type Rating = keyof typeof RATINGS;
const EMOJI: Readonly<Record<Rating, string>> = { answer_failed: '-1', answer_helped: '+1' };

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
  /** The emoji with which people reacted. */
  reactions: readonly string[];
}

/** A ticket with questions. */
export interface Asked {
  id: string;
  /** Nothing answers it any more but people. */
  isForTeam: boolean;
  /** The reactions that ratings of its answers left, by the messages' ids. */
  rated: ReadonlyMap<string, string>;
}

/** Questions to an AI agent, and what must have come of them in the end. */
export class Questions {
  readonly #world: World;
  readonly #tell: (what: string) => void;
  /** The first messages of their threads. */
  readonly #roots: string[] = [];
  /** The emoji that ratings stand for, by the answers' ids. */
  readonly #rated = new Map<string, string>();

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

  /** The requester says whether an answer helped. */
  async rate(chance: Chance): Promise<void> {
    const { chat } = this.#world;
    const [about, actionId] = [chance.next(), chance.weighted<Rating>(RATINGS)];
    const answers: { ts: string; id: string }[] = [];
    for (const root of this.#roots)
      for (const { ts, blocks, metadata } of await chat.thread(CHANNEL, root)) {
        const id = String(metadata?.event_payload['message']);
        if (JSON.stringify(blocks).includes(actionId) && !this.#rated.has(id)) answers.push({ ts, id });
      }
    const answer = answers[Math.floor(about * answers.length)];
    if (!answer) {
      this.#tell('… there is no answer');
      return;
    }
    this.#tell(`… ${actionId}, of ${answer.id}`);
    this.#rated.set(answer.id, EMOJI[actionId]);
    const press = { user: REQUESTER, channel: CHANNEL, messageTs: answer.ts, action: actionId };
    await repeatUntilAccepted('a rating', () => chat.post('interact', press));
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
      const { id, disableAIResponse: isForTeam } = ticket;
      trouble.push(
        ...checkQuestions({ id, isForTeam, rated: this.#rated }, rows, await this.#messagesOf(ticket)),
      );
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
    return items.map(({ id, authorId, agent, private: isNote, deleted: isDeleted, reactions }): Message => {
      const by = agent ? 'agent' : authorId === requesterId ? 'requester' : 'team';
      return { id, by, isNote, isDeleted, reactions: reactions.map(({ emoji }) => emoji) };
    });
  }

  #rowsOf(ticketId: string): Promise<Row[]> {
    return rowsOf<Row>(
      this.#world.databases.service,
      `select question_id as "questionId", outcome, ticket_message_id as "messageId"
       from service.ai_answer where ticket_id = $1 order by created_at, question_id`,
      [ticketId],
    );
  }
}

/**
 * What is wrong with the answers of an AI agent on a ticket: each question is settled once, each answer stands once, none
 * came after a person had answered, a hand-over is noted once, and an answer has the ratings that people gave it.
 */
export function checkQuestions(
  { id: ticketId, isForTeam, rated }: Asked,
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
  const didNotHelp = answers.filter((id) => rated.get(id) === '-1').length;
  const handOver = messages.findIndex(({ by, isNote }) => by === 'agent' && isNote);
  const isHandedOver = handedOver + didNotHelp > 0;
  return [
    ...[ticketId, ...asked.map(({ id }) => id)]
      .filter((id) => !rows.some(({ questionId }) => questionId === id))
      .map((id) => is('lost', `nothing came of the question ${id}`)),
    ...answers.filter((id) => !recorded.includes(id)).map((id) => is('doubled', `${id} answers no question`)),
    ...recorded.filter((id) => !answers.includes(id)).map((id) => is('lost', `the answer ${id}`)),
    ...(takenOver >= 0 && messages.slice(takenOver).some(({ id }) => answers.includes(id))
      ? [is('different', 'the AI agent answered after a person had')]
      : []),
    ...(notes.length === Number(isHandedOver)
      ? []
      : [is('doubled', `${notes.length} notes of ${handedOver + didNotHelp} hand-overs`)]),
    ...(handOver >= 0 && messages.slice(handOver).some(({ id }) => answers.includes(id))
      ? [is('different', 'the AI agent answered after it had handed over')]
      : []),
    ...(isHandedOver && !isForTeam ? [is('different', 'the AI agent answers what it has handed over')] : []),
    ...messages
      .filter(({ id, reactions }) => rated.has(id) && reactions.join() !== rated.get(id))
      .map(({ id, reactions }) => is('lost', `${id} is rated ${reactions.join()}, not ${rated.get(id)}`)),
  ];
}
