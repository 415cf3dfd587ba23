import { isDeepStrictEqual } from 'node:util';

import { z } from 'zod';

import type { SeenMessage, SeenModal } from '../../harness/chat.ts';
import { until } from '../../harness/until.ts';
import { userIdOf } from '../../harness/user-id.ts';
import type { World } from '../../harness/world.ts';

const CHANNEL = 'it-help';
const TRIAGE = 'it-triage';
const DIRECT = '@deskbridge';

/** Actions in forms, on buttons and in message menus. */
export const PRESSES = [
  'submit a form',
  'submit a form on a message',
  'submit a form at the desk',
  'choose a status',
  'approve',
  'rate',
  'note',
  'send to requester',
] as const;
export type Press = (typeof PRESSES)[number];

/** What people fill in where the form asks for a device. */
const ANSWERS = { device: 'Laptop', office: 'Madrid', cost_centre: 'CC-7' };

/**
 * Whether the bridge acknowledged an action, from the sandbox's response: for a modal by its result, else by
 * the outcome.
 */
const wasAccepted = z.union([
  z.object({ outcome: z.strictObject({ error: z.string() }) }).transform(() => false),
  z.object({ outcome: z.strictObject({ payload: z.unknown().optional() }) }).transform(() => true),
  z.object({ result: z.literal('failed') }).transform(() => false),
  z.object({ result: z.enum(['closed', 'cleared', 'updated', 'pushed']) }).transform(() => true),
]);

/** The differences from the expected end state; empty if all is well. */
export type Check = () => Promise<string[]>;

export const isPress = (act: string): act is Press => (PRESSES as readonly string[]).includes(act);

/**
 * Users who repeat an action that visibly failed, so the bridge may get an action twice. An action takes
 * several steps of the bridge, which is restarted concurrently after a kill.
 */
export class Presses {
  readonly #world: Pick<World, 'chat' | 'service'>;
  /** A user has one modal at a time. */
  readonly #windows = new Map<string, Promise<unknown>>();
  #count = 0;

  constructor(world: Pick<World, 'chat' | 'service'>) {
    this.#world = world;
  }

  /** Numbers the actions from here on. */
  numberFrom(count: number): void {
    this.#count = count;
  }

  /** Runs the action on a ticket of Ada whose thread starts with `root`. */
  press(act: Press, { ticketId, root }: { ticketId: string; root: string }): Promise<Check> {
    const words = `note ${++this.#count}`;
    switch (act) {
      case 'submit a form':
        return this.#oneModalAtATime('ben', () => this.#fillForm('ben', `Form ${words}`, undefined));
      case 'submit a form on a message':
        return this.#oneModalAtATime('ada', async () => {
          const { ts } = await this.#world.chat.say(CHANNEL, 'ada', `something about ${words}`);
          return this.#fillForm('ada', `Form ${words}`, ts);
        });
      case 'submit a form at the desk':
        return this.#fillFormAtDesk(`Form ${words}`);
      case 'choose a status':
        return this.#chooseStatus(ticketId, root);
      case 'approve':
        return this.#approve(ticketId);
      case 'rate':
        return this.#rate(ticketId);
      case 'note':
        return this.#note(ticketId, root, words);
      case 'send to requester':
        return this.#sendToRequester(ticketId, root, words);
    }
  }

  async #fillForm(user: string, title: string, on: string | undefined): Promise<Check> {
    const { chat } = this.#world;
    const shortcut = on
      ? { callbackId: 'fill_form', channel: CHANNEL, messageTs: on }
      : { callbackId: 'new_ticket' };
    const device = await this.#deviceForm();
    const empty = await this.#untilAsked(user, 'ask:type', async () => {
      await chat.post('close-view', { user, all: true }).catch(() => undefined);
      return chat.post('shortcut', { user, ...shortcut });
    });
    const kind = { blockId: 'ask:type', actionId: 'form_type', value: device?.id };
    await this.#untilAsked(user, 'field:device', () =>
      chat.post('interact', { user, viewId: empty.id, action: kind }),
    );
    const option = (key: 'device' | 'office') =>
      device?.customFields
        .find(({ customField }) => customField.key === key)
        ?.customField.options.find((one) => one.value === ANSWERS[key])?.id;
    const values = {
      'ask:title': { form_value: title },
      'field:device': { form_value: option('device') },
      'field:office': { form_value: option('office') },
      'field:cost_centre': { form_value: ANSWERS.cost_centre },
    };
    await repeatUntilAccepted('the form to close', () => chat.post('submit-view', { user, values }));
    return async () => {
      const { found, ticket } = await this.#ticketOfForm(title, device?.id);
      if (!ticket) return found;
      const messages = await chat.messages(on ? CHANNEL : DIRECT, user);
      return [
        ...found,
        ...differences(title, {
          private: [ticket.private, on === undefined],
          'first messages of ours': [
            messages.filter(({ text, bot_id }) => bot_id && text === title).length,
            on ? 0 : 1,
          ],
          cards: [messages.filter(isCardOf(ticket.id)).length, 1],
        }),
      ];
    };
  }

  /** An agent opens a ticket for Ada, who is to be told in Slack. */
  async #fillFormAtDesk(title: string): Promise<Check> {
    const { chat, service } = this.#world;
    const device = await this.#deviceForm();
    await service.createTicket({
      body: {
        title,
        requestTypeId: device?.id,
        customFields: ANSWERS,
        requesterId: await userIdOf(this.#world.service, 'ada'),
        authorId: await userIdOf(this.#world.service, 'mira'),
        tellRequester: true,
      },
    });
    return async () => {
      const { found, ticket } = await this.#ticketOfForm(title, device?.id);
      if (!ticket) return found;
      const told = (await chat.messages(DIRECT, 'ada')).filter(isCardOf(ticket.id));
      return [...found, ...differences(title, { 'cards of the requester': [told.length, 1] })];
    };
  }

  async #deviceForm() {
    return (await this.#world.service.listForms({ query: {} })).items.find(
      ({ name }) => name === 'New device',
    );
  }

  /** The one ticket of a form, and the differences from what was filled in. */
  async #ticketOfForm(title: string, requestTypeId: string | undefined) {
    const { service } = this.#world;
    const { items } = await service.listTickets({ query: { search: title, limit: 1000 } });
    const [first, ...others] = items.filter((one) => one.title === title);
    if (!first || others.length > 0)
      return { found: [`${first ? 1 + others.length : 0} tickets of ${title}`], ticket: undefined };
    const ticket = await service.readTicket({ params: { id: first.id } });
    const found = differences(title, {
      kind: [ticket.requestTypeId, requestTypeId],
      fields: [ticket.customFields, ANSWERS],
    });
    return { found, ticket };
  }

  async #chooseStatus(ticketId: string, root: string): Promise<Check> {
    const { chat, service } = this.#world;
    const waiting = (await service.listStatuses({ query: {} })).items.find(
      ({ label }) => label === 'Waiting',
    );
    const card = async () => (await chat.thread(CHANNEL, root)).find(isCardOf(ticketId));
    const team = async () => (await chat.messages(TRIAGE)).find(isCardOf(ticketId));
    await this.#pressOn('the card', team, 'mira', { actionId: 'card_status', value: waiting?.id });
    return async () => {
      const { statusId } = await service.readTicket({ params: { id: ticketId } });
      const shown = (await card())?.text.includes('(Waiting)');
      return differences('the status', { ticket: [statusId, waiting?.id], card: [shown, true] });
    };
  }

  async #approve(ticketId: string): Promise<Check> {
    const { service } = this.#world;
    const approver = await userIdOf(this.#world.service, 'mira');
    const { code } = await service.updateTicket({
      params: { id: ticketId },
      body: { data: { approverIds: [approver] } },
    });
    const asked = () => this.#directMessages('mira', code, /for your approval|Approved by/);
    await this.#pressOn('the question', async () => (await asked())[0], 'mira', 'approval_approve');
    return async () => {
      const { approvedAt, metadata } = await service.readTicket({ params: { id: ticketId } });
      return differences(`the approval of ${code}`, {
        approved: [approvedAt !== null, true],
        by: [metadata.approval?.userId, approver],
        told: [(await asked()).map(({ text }) => text.includes('Approved')), [true]],
      });
    };
  }

  async #rate(ticketId: string): Promise<Check> {
    const { service } = this.#world;
    const done = (await service.listStatuses({ query: {} })).items.find(({ label }) => label === 'Done');
    const { code } = await service.updateTicket({
      params: { id: ticketId },
      body: { data: { statusId: done?.id ?? null } },
    });
    const asked = () => this.#directMessages('ada', code, /How did we do|you rated this/);
    await this.#pressOn('the question', async () => (await asked())[0], 'ada', 'survey_score_4');
    return async () => {
      const { csat } = await service.readTicket({ params: { id: ticketId } });
      return differences(`the rating of ${code}`, {
        ticket: [csat.map(({ score }) => score), [4]],
        told: [(await asked()).map(({ text }) => text.includes('4 out of 5')), [true]],
      });
    };
  }

  async #note(ticketId: string, root: string, words: string): Promise<Check> {
    await this.#writeNote(ticketId, words);
    return () => this.#notes(ticketId, root, words, ['private, by mira']);
  }

  async #sendToRequester(ticketId: string, root: string, words: string): Promise<Check> {
    const { chat } = this.#world;
    const { ts } = await this.#writeNote(ticketId, words);
    const wanted = ['private, by mira', 'by sam'];
    const isSent = async () => (await this.#notes(ticketId, root, words, wanted)).length === 0;
    // Chosen before the bridge has the note, it changes nothing; a user who sees no effect chooses it again.
    await until('the note to be with the requester', async () => {
      if (await isSent()) return true;
      const send = { user: 'sam', callbackId: 'send_to_requester', channel: TRIAGE, messageTs: ts };
      await chat.post('shortcut', send);
      return until('an effect', isSent, { withinMs: 3_000 }).catch(() => false);
    });
    return () => this.#notes(ticketId, root, words, wanted);
  }

  async #writeNote(ticketId: string, words: string): Promise<SeenMessage> {
    const { chat } = this.#world;
    const card = await until('the team’s card', async () =>
      (await chat.messages(TRIAGE)).find(isCardOf(ticketId)),
    );
    return chat.say(TRIAGE, 'mira', words, card.ts);
  }

  /** The differences of a note: each place must have it this many times, with the right author. */
  async #notes(ticketId: string, root: string, words: string, wanted: readonly string[]): Promise<string[]> {
    const { chat, service } = this.#world;
    const names = new Map([
      [await userIdOf(this.#world.service, 'mira'), 'mira'],
      [await userIdOf(this.#world.service, 'sam'), 'sam'],
    ]);
    const onTicket = (await service.listTicketMessages({ query: { ticketId, limit: 1000 } })).items
      .filter(({ content }) => content === words)
      .map((one) => `${one.private ? 'private, ' : ''}by ${names.get(one.authorId ?? '') ?? one.authorId}`);
    const inThread = (await chat.thread(CHANNEL, root)).filter(({ text }) => text === words);
    const sent = wanted.includes('by sam') ? ['Sam Parks'] : [];
    return differences(words, {
      ticket: [onTicket, wanted],
      thread: [inThread.map(({ username }) => username), sent],
    });
  }

  /** The bot's messages to a user about a ticket. */
  async #directMessages(user: string, code: string, about: RegExp): Promise<SeenMessage[]> {
    const messages = await this.#world.chat.messages(DIRECT, user).catch(() => []);
    return messages.filter(
      ({ text, bot_id, blocks }) =>
        bot_id !== undefined &&
        about.test(text) &&
        new RegExp(`${code}\\b`).test(text + JSON.stringify(blocks)),
    );
  }

  /** Presses a button on a message of the bot once it is there. */
  async #pressOn(
    what: string,
    find: () => Promise<SeenMessage | undefined>,
    user: string,
    action: string | { actionId: string; value: string | undefined },
  ): Promise<void> {
    const { channel, ts: messageTs } = await until(what, find);
    await repeatUntilAccepted(what, () =>
      this.#world.chat.post('interact', { user, channel, messageTs, action }),
    );
  }

  /**
   * Presses until the user's modal asks for this. The bridge may have been killed after the acknowledgement
   * and before it opened the modal: a user who sees no effect presses again.
   */
  #untilAsked(user: string, block: string, attempt: () => Promise<unknown>): Promise<SeenModal> {
    const asking = async () => {
      const view = await this.#world.chat.modal(user);
      return view?.blocks.some(({ block_id }) => block_id === block) ? view : undefined;
    };
    return until(
      `the form of ${user} to ask ${block}`,
      async () => {
        await repeatUntilAccepted(block, attempt);
        return until('an effect', asking, { withinMs: 10_000 }).catch(() => undefined);
      },
      { seen: () => this.#world.chat.modal(user) },
    );
  }

  /** Waits until the user has no other modal. */
  #oneModalAtATime<Result>(user: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#windows.get(user) ?? Promise.resolve();
    const mine = before.then(work);
    this.#windows.set(
      user,
      mine.catch(() => undefined),
    );
    return mine;
  }
}

/** Repeats an action until the bridge has acknowledged it: chat shows the user that it failed. */
export async function repeatUntilAccepted(what: string, attempt: () => Promise<unknown>): Promise<void> {
  await until(`${what} to be accepted`, async () => {
    const answer = await attempt();
    const accepted = wasAccepted.safeParse(answer);
    if (!accepted.success) throw new Error(`neither accepted nor failed: ${JSON.stringify(answer)}`);
    return accepted.data;
  });
}

const isCardOf =
  (ticketId: string) =>
  ({ metadata }: SeenMessage): boolean =>
    metadata?.event_payload['card'] === ticketId;

/** Returns a sentence for each value that differs from the expected one. */
function differences(of: string, facts: Record<string, readonly [is: unknown, wanted: unknown]>): string[] {
  return Object.entries(facts)
    .filter(([, [is, wanted]]) => !isDeepStrictEqual(is, wanted))
    .map(([what, [is, wanted]]) => `${of}, ${what}: ${JSON.stringify(is)}, not ${JSON.stringify(wanted)}`);
}
