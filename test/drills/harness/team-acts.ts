import { AnsweredError } from '../../../src/client/index.ts';
import type { World } from '../../harness/world.ts';
import { AGENT, type Difference, type Line } from './both-sides.ts';
import { type Audience, QUEUES, type QueueName, Secrets } from './secrets.ts';
import type { Conversation } from './story.ts';

/** What the team does among itself and with a ticket as a whole, at the desk. */
export const TEAM_ACTS = [
  'write a note',
  'edit a note',
  'delete a note',
  'wait for the requester',
  'close',
  'merge',
  'undo a merge',
  'move',
  'make private',
  'make public',
] as const;
export type TeamAct = (typeof TEAM_ACTS)[number];

/** Acts that change where a ticket's messages are, and who reads them. */
export const MOVING_ACTS = ['merge', 'undo a merge', 'move', 'make private', 'make public'] as const;

export const isTeamAct = (act: string): act is TeamAct => (TEAM_ACTS as readonly string[]).includes(act);

/** What the acts need of the story that they are a part of. */
export interface Desk {
  service: World['service'];
  conversations: readonly Conversation[];
  /** The agent's id. */
  agentId: () => Promise<string>;
  /** Text that nobody wrote before, which begins with these words. */
  textOf: (beginning: string) => string;
  oneOf: <Item>(items: readonly Item[]) => Item;
  /** Resolves when the team has the card of a ticket: one that is done before gets none. */
  seenByTeam: (conversation: Conversation) => Promise<void>;
  /** Takes what came of an act, if that is not certain. */
  tell: (what: string) => void;
}

type Change = Parameters<World['service']['updateTicket']>[0]['body']['data'];

export class TeamActs {
  readonly #desk: Desk;
  readonly secrets = new Secrets();
  /** What was written on a ticket, and is not where that one goes on. */
  readonly misplaced: Difference[] = [];
  #queues: Promise<ReadonlyMap<QueueName, string>> | undefined;
  #statuses: Promise<ReadonlyMap<string, string>> | undefined;

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  async act(act: TeamAct, conversation: Conversation): Promise<void> {
    const { service, oneOf } = this.#desk;
    const notes = conversation.notes.filter(({ deleted }) => !deleted);
    const { audience } = conversation;
    switch (act) {
      case 'write a note':
        return this.#writeNote(conversation);
      case 'edit a note': {
        if (notes.length === 0) return this.#writeNote(conversation);
        const note = oneOf(notes);
        note.text = this.#desk.textOf(NOTE);
        this.rewritten(note, conversation, true);
        await service.updateTicketMessage({ params: { id: note.id }, body: { content: note.text } });
        return;
      }
      case 'delete a note': {
        if (notes.length === 0) return this.#writeNote(conversation);
        const note = oneOf(notes);
        note.deleted = true;
        await service.deleteTicketMessage({ params: { id: note.id } });
        return;
      }
      case 'wait for the requester':
        return this.#end(conversation, 'Waiting');
      case 'close':
        if (!conversation.isMoving) await this.#desk.seenByTeam(conversation);
        return this.#end(conversation, 'Done');
      case 'merge':
        return this.#merge(conversation);
      case 'undo a merge':
        return this.#undoMerge();
      case 'move': {
        const others = Object.keys(QUEUES).filter((name) => name !== audience.queue);
        const queue = oneOf(others) as QueueName;
        const queueId = (await this.#knownQueues()).get(queue) ?? null;
        if (await this.#change(conversation, `to the queue ${queue}`, { queueId })) audience.queue = queue;
        return;
      }
      case 'make private':
      case 'make public': {
        const isPrivate = act === 'make private';
        if (await this.#change(conversation, act, { private: isPrivate })) audience.isPrivate = isPrivate;
      }
    }
  }

  /** Creates what the acts need, so that the first of them is like all others. */
  async prepare(): Promise<void> {
    await this.#knownQueues();
    await this.#knownStatuses();
  }

  /** Takes in what the agent wrote on a ticket: of a merged one it is on the ticket in which that goes on. */
  written(line: Line, conversation: Conversation, isNote: boolean): void {
    const { ticketId, isMerged } = conversation;
    if (isMerged === (line.ticketId === ticketId))
      this.misplaced.push({
        kind: 'lost',
        what: `“${line.text}”, written on ${ticketId}, is on ${line.ticketId}`,
      });
    this.rewritten(line, conversation, isNote);
  }

  /** Takes in the new words of a line. */
  rewritten(line: Line, conversation: Conversation, isNote: boolean): void {
    this.secrets.add(line.text, this.#audienceOf(line, conversation), isNote);
  }

  /** Who reads a line: it may be on a ticket into which its own was merged. */
  #audienceOf({ ticketId }: Line, { audience }: Conversation): Audience {
    return this.#desk.conversations.find((one) => one.ticketId === ticketId)?.audience ?? audience;
  }

  async #writeNote(conversation: Conversation): Promise<void> {
    const text = this.#desk.textOf(NOTE);
    const { id, ticketId } = await this.#desk.service.createTicketMessage({
      body: {
        ticketId: conversation.ticketId,
        authorId: await this.#desk.agentId(),
        content: text,
        private: true,
      },
    });
    const note: Line = { by: AGENT, id, ticketId, text, deleted: false, held: new Set() };
    this.written(note, conversation, true);
    conversation.notes.push(note);
  }

  async #end(conversation: Conversation, label: 'Waiting' | 'Done'): Promise<void> {
    const statusId = (await this.#knownStatuses()).get(label) ?? null;
    const isDone = await this.#unlessRefused(label, () =>
      this.#desk.service.updateTicket({
        params: { id: conversation.ticketId },
        body: { data: { statusId } },
      }),
    );
    if (!isDone) return;
    conversation.ended = { label, isReplied: false };
    // A merge ends with a status that is none of an end.
    if (label === 'Waiting') conversation.isMerged = false;
  }

  async #merge(conversation: Conversation): Promise<void> {
    const others = this.#desk.conversations.filter(
      (one) => one.isMoving && !one.staysApart && one !== conversation,
    );
    const into = this.#desk.oneOf(others);
    const isDone = await this.#unlessRefused(`into ${into.ticketId}`, () =>
      this.#desk.service.mergeTicket({
        params: { id: conversation.ticketId },
        body: { intoId: into.ticketId },
      }),
    );
    if (isDone) conversation.isMerged = true;
  }

  async #undoMerge(): Promise<void> {
    const merged = this.#desk.conversations.filter(({ isMerged }) => isMerged);
    if (merged.length === 0) {
      this.#desk.tell('… nothing is merged');
      return;
    }
    const conversation = this.#desk.oneOf(merged);
    const statusId = (await this.#knownStatuses()).get('Open') ?? null;
    const isDone = await this.#unlessRefused(`that of ${conversation.ticketId}`, () =>
      this.#desk.service.updateTicket({
        params: { id: conversation.ticketId },
        body: { data: { statusId } },
      }),
    );
    if (isDone) conversation.isMerged = false;
  }

  async #change(conversation: Conversation, what: string, data: Change): Promise<boolean> {
    const isDone = await this.#unlessRefused(what, () =>
      this.#desk.service.updateTicket({ params: { id: conversation.ticketId }, body: { data } }),
    );
    if (isDone) this.secrets.readersChanged();
    return isDone;
  }

  /** Tickets with other readers are not merged, and merged ones stay among the same: the service says so. */
  async #unlessRefused(what: string, write: () => Promise<unknown>): Promise<boolean> {
    try {
      await write();
    } catch (error) {
      if (!(error instanceof AnsweredError) || error.next !== 'give-up') throw error;
      this.#desk.tell(`… ${what}: refused, ${error.detail ?? error.code ?? error.status}`);
      return false;
    }
    this.#desk.tell(`… ${what}`);
    return true;
  }

  #knownQueues(): Promise<ReadonlyMap<QueueName, string>> {
    return (this.#queues ??= this.#createQueues());
  }

  async #createQueues(): Promise<ReadonlyMap<QueueName, string>> {
    const { service } = this.#desk;
    const { items } = await service.listQueues({ query: {} });
    const ids = new Map<QueueName, string>();
    for (const name of Object.keys(QUEUES) as QueueName[]) {
      const queue =
        items.find((one) => one.name === name) ??
        (await service.createQueue({ body: { name, prefix: PREFIX, visibility: QUEUES[name] } }));
      ids.set(name, queue.id);
    }
    return ids;
  }

  /** The ids of the statuses by their labels. */
  #knownStatuses(): Promise<ReadonlyMap<string, string>> {
    return (this.#statuses ??= this.#desk.service
      .listStatuses({ query: {} })
      .then(({ items }) => new Map(items.map(({ label, id }) => [label, id]))));
  }
}

/** More letters than words have in common by chance. */
const NOTE = 'remark for the team';
/** Of the queue that the demo lacks. */
const PREFIX = 'SUP';
