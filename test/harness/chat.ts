import { STILL_WORKING } from '../../src/bridge/inbox/answer-in-time.ts';

/** A message as the sandbox's control API shows it. */
export interface SeenMessage {
  channel: string;
  ts: string;
  thread_ts?: string;
  user?: string;
  username?: string;
  bot_id?: string;
  subtype?: string;
  files?: { id: string; name?: string; title?: string; mode: string }[];
  text: string;
  blocks: unknown[];
  metadata?: { event_type: string; event_payload: Record<string, unknown> };
  reactions: { name: string; users: string[] }[];
  edited?: { ts: string };
  ephemeralFor?: string;
}

/** A modal as the person before whom it stands sees it. */
export interface SeenWindow {
  id: string;
  callback_id: string;
  blocks: { type: string; block_id: string; element?: Record<string, unknown> }[];
}

/** What people do in the sandbox workspace, over its control API: the same for every process that runs it. */
export class Chat {
  readonly #url: string;
  readonly #of: { team?: string };

  /** @param team another workspace of the sandbox than its default one, by its id, domain or name. */
  constructor(url: string, team?: string) {
    this.#url = url;
    this.#of = team === undefined ? {} : { team };
  }

  /** Another workspace of the same sandbox. */
  of(team: string): Chat {
    return new Chat(this.#url, team);
  }

  async say(channel: string, user: string, text: string, thread_ts?: string): Promise<SeenMessage> {
    const { message } = await this.post<{ message: SeenMessage }>('message', {
      channel,
      user,
      text,
      ...(thread_ts ? { thread_ts } : {}),
    });
    return message;
  }

  async command(channel: string, user: string, text: string, command = '/ticket'): Promise<void> {
    await this.post('command', { channel, user, command, text });
  }

  async react(channel: string, user: string, ts: string, name: string, present = true): Promise<void> {
    await this.post('reaction', { channel, user, ts, name, present });
  }

  /** Lets no time pass in the workspace meanwhile: of a press, a modal may be opened for three seconds, on any machine. */
  async withoutHurry<Result>(work: () => Promise<Result>): Promise<Result> {
    // Workspaces share one clock.
    const all = new Chat(this.#url);
    await all.post('clock', { speed: 0 });
    try {
      return await work();
    } finally {
      await all.post('clock', { speed: 1 });
    }
  }

  async edit(channel: string, user: string, ts: string, text: string): Promise<void> {
    await this.post('edit-message', { channel, user, ts, text });
  }

  async remove(channel: string, user: string, ts: string): Promise<void> {
    await this.post('delete-message', { channel, user, ts });
  }

  /** Everything that stands in a channel, threads included, in order; with `as`, what only that person sees too. */
  async messages(channel: string, as?: string): Promise<SeenMessage[]> {
    return this.#messages(channel, as ? { as } : {});
  }

  /** The replies of a thread, without its root. */
  async thread(channel: string, root: string): Promise<SeenMessage[]> {
    return (await this.#messages(channel, { thread: root })).filter(({ ts }) => ts !== root);
  }

  async #messages(channel: string, query: Record<string, string>): Promise<SeenMessage[]> {
    return (await this.#get<{ messages: SeenMessage[] }>(`messages/${channel}`, query)).messages;
  }

  /** The bot's user id, the channels' ids by name, which are archived, and how many envelopes nobody has acknowledged yet. */
  async state(): Promise<{
    bot: string;
    channels: Record<string, string>;
    archived: string[];
    undelivered: number;
  }> {
    const { apps, channels, undelivered } = await this.#get<{
      apps: { botUserId: string }[];
      channels: { id: string; name: string; is_archived: boolean }[];
      undelivered: number;
    }>('state');
    return {
      undelivered,
      bot: apps[0]?.botUserId ?? '',
      channels: Object.fromEntries(channels.map(({ id, name }) => [name, id])),
      archived: channels.filter((one) => one.is_archived).map(({ name }) => name),
    };
  }

  /** How often each kind of the chaos that is on has struck. */
  async misbehaved(): Promise<Record<string, number>> {
    return (await this.#faults()).chaos?.did ?? {};
  }

  /** How often the faults of a method that are on have struck. */
  async struck(method: string): Promise<number> {
    const { faults } = await this.#faults();
    return faults.filter((fault) => fault.method === method).reduce((sum, { hits }) => sum + hits, 0);
  }

  #faults() {
    return this.#get<{
      faults: { method: string; hits: number }[];
      chaos: { did: Record<string, number> } | null;
    }>('faults');
  }

  /** The last answer that only this person sees in a channel, not that it takes longer. */
  async whisper(channel: string, user: string): Promise<SeenMessage | undefined> {
    return (await this.messages(channel, user)).findLast(
      ({ ephemeralFor, text }) => ephemeralFor !== undefined && text !== STILL_WORKING,
    );
  }

  /** The modal that somebody has before them. */
  async window(user: string): Promise<SeenWindow | undefined> {
    return (await this.#get<{ stack: SeenWindow[] }>(`views/${user}`)).stack.at(-1);
  }

  /** What `GET /_control/…` answers to an operation that nothing here has a method for. */
  async look<Answer>(operation: string, query: Record<string, string> = {}): Promise<Answer> {
    return this.#get(operation, query);
  }

  async post<Answer = unknown>(operation: string, body: object): Promise<Answer> {
    return this.#ask<Answer>(operation, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...this.#of, ...body }),
    });
  }

  #get<Answer>(operation: string, query: Record<string, string> = {}): Promise<Answer> {
    return this.#ask(`${operation}?${new URLSearchParams({ ...this.#of, ...query }).toString()}`);
  }

  async #ask<Answer>(operation: string, request?: RequestInit): Promise<Answer> {
    const answer = await fetch(`${this.#url}/_control/${operation}`, request);
    if (!answer.ok)
      throw new Error(`/_control/${operation} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Answer;
  }
}
