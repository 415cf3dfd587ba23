import { type Selectable, sql } from 'kysely';

import type { Db } from '../../platform/database/open.ts';
import type { Job } from '../../platform/jobs/index.ts';
import type { BridgeTables } from '../schema/tables.ts';
import { type Conversation, conversationOfJson, type StoredConversation } from '../threads/conversations.ts';

type Person = Selectable<BridgeTables['person']>;

export interface EventId {
  id: string;
  /** Who wrote the message that it is about. */
  author: string | undefined;
}

/** What is known of a chat message. */
export interface MessageState {
  isLinked: boolean;
  /** Slack has reported its deletion, which may be stored before the message itself is handled. */
  isDeleted: boolean;
  author: Person | undefined;
}

export type StoredEvent = Pick<
  Selectable<BridgeTables['inbox']>,
  'source' | 'kind' | 'body' | 'received_at' | 'done_at' | 'conversation_id'
> & { conversation: Conversation | undefined; state: MessageState };

/** An event as `stored_events` gives it: JSON has no dates. */
export type StoredJson = { id: string } & Pick<
  StoredEvent,
  'source' | 'kind' | 'body' | 'conversation_id'
> & {
    received_at: string;
    done_at: string | null;
    conversation: StoredConversation | null;
    author: (Omit<Person, 'read_at'> & { read_at: string }) | null;
  } & Omit<MessageState, 'author'>;

function storedEvent({ received_at, done_at, conversation, author, ...stored }: StoredJson): StoredEvent {
  const { id: _, isLinked, isDeleted, ...row } = stored;
  return {
    ...row,
    received_at: new Date(received_at),
    done_at: done_at === null ? null : new Date(done_at),
    conversation: conversation ? conversationOfJson(conversation) : undefined,
    state: {
      isLinked,
      isDeleted,
      author: author ? { ...author, read_at: new Date(author.read_at) } : undefined,
    },
  };
}

/** Returns the event of a job that was claimed with it. */
export function prefetchedEvent({ prefetched }: Pick<Job<unknown>, 'prefetched'>): StoredEvent | undefined {
  const stored = prefetched as StoredJson | null | undefined;
  return stored ? storedEvent(stored) : undefined;
}

/** Returns events by their ids, in that order. */
export async function storedEvents(
  db: Db<BridgeTables>,
  wanted: readonly EventId[],
): Promise<(StoredEvent | undefined)[]> {
  const { rows } = await sql<{ event_id: string; stored: StoredJson }>`
    select * from stored_events(${wanted.map(({ id }) => id)}, ${wanted.map(({ author }) => author ?? null)})`.execute(
    db,
  );
  const byId = new Map(rows.map(({ event_id, stored }) => [event_id, stored]));
  return wanted.map(({ id }) => {
    const stored = byId.get(id);
    return stored && storedEvent(stored);
  });
}
