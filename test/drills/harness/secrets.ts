/** The demo's channels that everybody reads. */
const PUBLIC = ['it-help', 'people-help', 'general'] as const;
/** Where the team of IT works. */
const TRIAGE = 'it-triage';
/** The channels that are searched for what must not stand there. */
export const WATCHED: readonly string[] = [...PUBLIC, TRIAGE];

/** Who reads the tickets of each queue. */
export const QUEUES = { IT: 'workspace', Support: 'agents', People: 'team' } as const;
export type QueueName = keyof typeof QUEUES;

/** Who reads a ticket. */
export interface Audience {
  isPrivate: boolean;
  queue: QueueName;
}

/** The channels in which no words may stand that are written to a ticket while it has this audience. */
function closedTo({ isPrivate, queue }: Audience, isNote: boolean): string[] {
  const isForEveryone = !isPrivate && QUEUES[queue] === 'workspace';
  const triage = isForEveryone || queue === 'IT' ? [] : [TRIAGE];
  if (isNote || isPrivate) return [...PUBLIC, ...triage];
  // The requester's thread, which is in it-help, shows what is for its requester, whoever reads the queue.
  return isForEveryone ? [] : [...PUBLIC.filter((name) => name !== 'it-help'), TRIAGE];
}

/** Words that may not stand in some channels, not for a moment. */
export class Secrets {
  readonly #closed = new Map<string, { isNote: boolean; channels: readonly string[] }>();

  add(words: string, audience: Audience, isNote: boolean): void {
    const channels = closedTo(audience, isNote);
    if (channels.length > 0) this.#closed.set(words, { isNote, channels });
  }

  /** A ticket has other readers: what was written before may be, or have been, where they read it. Notes never go to requesters. */
  readersChanged(): void {
    for (const [words, { isNote }] of this.#closed)
      if (isNote) this.#closed.set(words, { isNote, channels: PUBLIC });
      else this.#closed.delete(words);
  }

  /** The words in a text of a channel that may not stand there. */
  in(channel: string, text: string): string[] {
    return [...this.#closed]
      .filter(([words, { channels }]) => channels.includes(channel) && stands(words, text))
      .map(([words]) => words);
  }
}

/** Words end with a number, which is not the beginning of another one. */
function stands(words: string, text: string): boolean {
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1))
    if (!/\d/.test(text[at + words.length] ?? '')) return true;
  return false;
}
