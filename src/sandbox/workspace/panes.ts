import type { Clock } from '../../platform/clock.ts';
import type { Journal } from '../journal.ts';
import { LIMITS } from '../limits.ts';
import type { StoredMessage } from './content.ts';

/** What one may press to say it. */
export interface Prompt {
  title: string;
  message: string;
}

/** What an app offers in a direct conversation; in one thread of it, or over all of it. */
export interface Offer {
  thread: string | undefined;
  title: string | undefined;
  prompts: Prompt[];
}

/** What chat's assistant pane shows beside the messages of one direct conversation. */
export interface Pane {
  offer: Offer | undefined;
  /** What the app is doing, by thread. */
  statuses: { thread: string; status: string }[];
  /** What threads are called, by their root. */
  titles: { thread: string; title: string }[];
}

/**
 * The assistant panes of a workspace, by direct conversation; gone with the process. A status goes with the app's next
 * post in its thread, or after two minutes (docs.slack.dev/reference/methods/assistant.threads.setStatus).
 */
export class Panes {
  readonly #clock: Clock;
  readonly #journal: Journal;
  readonly #offers = new Map<string, Offer>();
  readonly #statuses = new Map<string, Map<string, { status: string; until: number }>>();
  readonly #titles = new Map<string, Map<string, string>>();

  constructor(parts: { clock: Clock; journal: Journal }) {
    this.#clock = parts.clock;
    this.#journal = parts.journal;
  }

  offer(channel: string, offer: Offer): void {
    this.#offers.set(channel, offer);
    this.#tell(channel);
  }

  /** An empty status takes away what stands there. */
  setStatus(channel: string, thread: string, status: string): void {
    const until = this.#clock.now().getTime() + LIMITS.assistantStatusMs;
    if (status === '') this.#statuses.get(channel)?.delete(thread);
    else inner(this.#statuses, channel).set(thread, { status, until });
    this.#tell(channel);
  }

  setTitle(channel: string, thread: string, title: string): void {
    inner(this.#titles, channel).set(thread, title);
    this.#tell(channel);
  }

  /** A message was posted: what was offered is out of date once a person has written. */
  posted({ channel_id: channel, ts, thread_ts, content }: StoredMessage): void {
    const byApp = content.bot_id !== undefined;
    const gone = byApp ? this.#statuses.get(channel)?.delete(thread_ts ?? ts) : this.#offers.delete(channel);
    if (gone === true) this.#tell(channel);
  }

  /** Nobody has been offered or told anything yet. */
  clear(): void {
    for (const kept of [this.#offers, this.#statuses, this.#titles]) kept.clear();
  }

  of(channel: string): Pane {
    const now = this.#clock.now().getTime();
    return {
      offer: this.#offers.get(channel),
      statuses: [...(this.#statuses.get(channel) ?? [])]
        .filter(([, { until }]) => until > now)
        .map(([thread, { status }]) => ({ thread, status })),
      titles: [...(this.#titles.get(channel) ?? [])].map(([thread, title]) => ({ thread, title })),
    };
  }

  #tell(channel: string): void {
    this.#journal.record('pane', { channel });
  }
}

function inner<Value>(all: Map<string, Map<string, Value>>, key: string): Map<string, Value> {
  const found = all.get(key) ?? new Map<string, Value>();
  all.set(key, found);
  return found;
}
