import type { Entry, EntryOf, Journal } from '../journal.ts';
import type { Directory } from '../workspace/directory.ts';
import type { ShownMessage } from './shown.ts';

export interface WaitOptions {
  /** Time limit in milliseconds; default 120,000: it only ends what hangs. */
  timeout?: number;
}

/** Waits for a state by the sandbox's own signals, without polling. */
export interface Waits {
  /** A message of a channel (name or id) that matches; one that is there already counts. */
  waitForMessage(
    channel: string,
    matches: (message: ShownMessage) => boolean,
    options?: WaitOptions & { as?: string },
  ): Promise<ShownMessage>;
  /** A state of a whole channel that matches. */
  waitForMessages(
    channel: string,
    matches: (messages: ShownMessage[]) => boolean,
    options?: WaitOptions & { as?: string },
  ): Promise<ShownMessage[]>;
  /** Something in the log (`since`: only after that entry). */
  waitFor<Kind extends Entry['kind']>(
    kind: Kind,
    matches?: (entry: EntryOf<Kind>) => boolean,
    options?: WaitOptions & { since?: number },
  ): Promise<EntryOf<Kind>>;
  /** The log's newest entry, for `since`. */
  mark(): number;
}

const DEFAULT_TIMEOUT_MS = 120_000;

export function createWaits(
  journal: Journal,
  messagesOf: (channel: string, as?: string) => ShownMessage[],
  directory: () => Directory,
): Waits {
  const waitForMessages: Waits['waitForMessages'] = (channel, matches, { timeout, as } = {}) =>
    until<ShownMessage[]>(journal, timeout, {
      wakesOn: (entry) =>
        (entry.kind === 'message' || entry.kind === 'channel') &&
        (entry.channel === channel ||
          directory().channels.get(entry.channel)?.name === channel.replace(/^#/, '') ||
          channel.startsWith('@')),
      look: () => {
        const messages = messagesOf(channel, as);
        return matches(messages) ? messages : undefined;
      },
      dump: () => dumpMessages(channel, messagesOf(channel, as)),
    });

  return {
    waitForMessages,
    async waitForMessage(channel, matches, options) {
      const messages = await waitForMessages(channel, (all) => all.some(matches), options);
      const found = messages.find(matches);
      if (!found) throw new Error('a message matched and then did not: `matches` must be a pure function');
      return found;
    },
    waitFor<Kind extends Entry['kind']>(
      kind: Kind,
      matches: (entry: EntryOf<Kind>) => boolean = () => true,
      { timeout, since = 0 }: WaitOptions & { since?: number } = {},
    ) {
      const fits = (entry: Entry): entry is EntryOf<Kind> =>
        entry.kind === kind && entry.seq > since && matches(entry as EntryOf<Kind>);
      return until<EntryOf<Kind>>(journal, timeout, {
        wakesOn: fits,
        look: () => journal.recent().find(fits),
        dump: () => `waited for an entry of the kind "${kind}"`,
      });
    },
    mark: () => journal.lastSeq,
  };
}

interface Wait<Found> {
  wakesOn: (entry: Entry) => boolean;
  look: () => Found | undefined;
  dump: () => string;
}

async function until<Found>(
  journal: Journal,
  timeout = DEFAULT_TIMEOUT_MS,
  { wakesOn, look, dump }: Wait<Found>,
): Promise<Found> {
  let wake: () => void = () => undefined;
  let expired = false;
  let pending = true;
  const stop = journal.subscribe((entry) => {
    if (!wakesOn(entry)) return;
    pending = true;
    wake();
  });
  const timer = setTimeout(() => {
    expired = true;
    wake();
  }, timeout);
  try {
    for (;;) {
      while (pending) {
        pending = false;
        const found = look();
        if (found !== undefined) return found;
      }
      // `expired` and `pending` are set by the callbacks above.
      if (expired as boolean)
        throw new Error(`nothing matched within ${timeout} ms\n${dump()}\n${dumpLog(journal)}`);
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (pending || expired) resolve();
      });
    }
  } finally {
    stop();
    clearTimeout(timer);
  }
}

function dumpMessages(channel: string, messages: readonly ShownMessage[]): string {
  const lines = messages
    .slice(-30)
    .map(({ ts, thread_ts, user, username, text, reactions, ephemeralFor }) =>
      [
        `  ${ts}`,
        thread_ts === undefined ? '' : `in ${thread_ts}`,
        `<${username ?? user ?? '?'}>`,
        JSON.stringify(text.slice(0, 200)),
        reactions.map(({ name, users }) => `:${name}:×${users.length}`).join(' '),
        ephemeralFor === undefined ? '' : `(only ${ephemeralFor})`,
      ]
        .filter(Boolean)
        .join(' '),
    );
  return `messages of ${channel}:\n${lines.join('\n') || '  none'}`;
}

function dumpLog(journal: Journal): string {
  const lines = journal.recent(30).map(({ seq, at, kind, ...rest }) => {
    const text = JSON.stringify(rest);
    return `  ${seq} ${at} ${kind} ${text.length > 240 ? `${text.slice(0, 240)}…` : text}`;
  });
  return `the sandbox's last entries:\n${lines.join('\n') || '  none'}`;
}
