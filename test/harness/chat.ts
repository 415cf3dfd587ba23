import { STILL_WORKING } from '../../src/bridge/inbox/answer-in-time.ts';
import { until } from './until.ts';

/** A message in the sandbox's control API. */
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

/** A modal in the sandbox's control API. */
export interface SeenModal {
  id: string;
  callback_id: string;
  blocks: { type: string; block_id: string; element?: Record<string, unknown> }[];
}

/**
 * The actions of users in the sandbox workspace, over its control API: the same for every process that runs
 * the sandbox.
 */
export class Chat {
  readonly #url: string;
  readonly #workspace: { team?: string };

  /** @param team the id, domain or name of a workspace other than the sandbox's default one. */
  constructor(url: string, team?: string) {
    this.#url = url;
    this.#workspace = team === undefined ? {} : { team };
  }

  /** Another workspace of the same sandbox. */
  inWorkspace(team: string): Chat {
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

  /**
   * Stops the workspace's clock meanwhile, so that a slow machine can still open a modal within three seconds
   * after a press.
   */
  async withHeldClock<Result>(work: () => Promise<Result>): Promise<Result> {
    // Workspaces share one clock.
    const all = new Chat(this.#url);
    await all.post('clock', { speed: 0 });
    try {
      return await work();
    } finally {
      const { ahead } = await all.post<{ ahead: number }>('clock', { speed: 1 });
      // Behind the service's clock, what is said next would stand before answers that are older.
      if (ahead < 0) await all.post('clock', { reset: true });
    }
  }

  /** Lets the workspace repeat at once what it would repeat within ten minutes, and waits until it has arrived. */
  async repeatAll(): Promise<void> {
    const arrived = async () => {
      const { undelivered, inFlight } = await this.state();
      if (undelivered === 0) return true;
      // Time stands while something is on its way, whose own would run out. What was not acknowledged waits for its
      // next try.
      if (inFlight === 0) await this.post('clock', { advance: '10m' });
      return false;
    };
    await until('everything to have arrived', arrived, { seen: () => this.state() });
  }

  async edit(channel: string, user: string, ts: string, text: string): Promise<void> {
    await this.post('edit-message', { channel, user, ts, text });
  }

  async remove(channel: string, user: string, ts: string): Promise<void> {
    await this.post('delete-message', { channel, user, ts });
  }

  /**
   * Every message in a channel, threads included, in order; with `as`, also those visible to that user only.
   */
  async messages(channel: string, as?: string): Promise<SeenMessage[]> {
    return this.#messages(channel, as ? { as } : {});
  }

  /** The replies of a thread, without its parent. */
  async thread(channel: string, root: string): Promise<SeenMessage[]> {
    return (await this.#messages(channel, { thread: root })).filter(({ ts }) => ts !== root);
  }

  async #messages(channel: string, query: Record<string, string>): Promise<SeenMessage[]> {
    return (await this.#get<{ messages: SeenMessage[] }>(`messages/${channel}`, query)).messages;
  }

  /**
   * The bot's user id, the channels' ids by name, the archived channels, and the numbers of envelopes that are not
   * acknowledged, and of those that are on their way.
   */
  async state(): Promise<{
    bot: string;
    channels: Record<string, string>;
    archived: string[];
    undelivered: number;
    inFlight: number;
  }> {
    const { apps, channels, undelivered, inFlight } = await this.#get<{
      apps: { botUserId: string }[];
      channels: { id: string; name: string; is_archived: boolean }[];
      undelivered: number;
      inFlight: number;
    }>('state');
    return {
      undelivered,
      inFlight,
      bot: apps[0]?.botUserId ?? '',
      channels: Object.fromEntries(channels.map(({ id, name }) => [name, id])),
      archived: channels.filter((one) => one.is_archived).map(({ name }) => name),
    };
  }

  /** The number of occurrences of each kind of random fault. */
  async randomFaultCounts(): Promise<Record<string, number>> {
    return (await this.#faults()).chaos?.did ?? {};
  }

  /** The number of occurrences of the active faults of a method. */
  async faultHits(method: string): Promise<number> {
    const { faults } = await this.#faults();
    return faults.filter((fault) => fault.method === method).reduce((sum, { hits }) => sum + hits, 0);
  }

  #faults() {
    return this.#get<{
      faults: { method: string; hits: number }[];
      chaos: { did: Record<string, number> } | null;
    }>('faults');
  }

  /**
   * The last ephemeral message for this user in a channel, except the notice that the answer takes longer.
   */
  async ephemeral(channel: string, user: string): Promise<SeenMessage | undefined> {
    return (await this.messages(channel, user)).findLast(
      ({ ephemeralFor, text }) => ephemeralFor !== undefined && text !== STILL_WORKING,
    );
  }

  /** The user's open modal. */
  async modal(user: string): Promise<SeenModal | undefined> {
    return (await this.#get<{ stack: SeenModal[] }>(`views/${user}`)).stack.at(-1);
  }

  /** The response of `GET /_control/…` for operations without a method here. */
  async read<Answer>(operation: string, query: Record<string, string> = {}): Promise<Answer> {
    return this.#get(operation, query);
  }

  async post<Answer = unknown>(operation: string, body: object): Promise<Answer> {
    return this.#request<Answer>(operation, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...this.#workspace, ...body }),
    });
  }

  #get<Answer>(operation: string, query: Record<string, string> = {}): Promise<Answer> {
    return this.#request(`${operation}?${new URLSearchParams({ ...this.#workspace, ...query }).toString()}`);
  }

  async #request<Answer>(operation: string, request?: RequestInit): Promise<Answer> {
    const answer = await fetch(`${this.#url}/_control/${operation}`, request);
    if (!answer.ok)
      throw new Error(`/_control/${operation} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Answer;
  }
}
