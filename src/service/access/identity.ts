import type { Source } from '../../contract/index.ts';
import type { Caller } from '../handler.ts';
import { ServiceProblem } from '../problem.ts';

/** Fields of a body that say who acts. */
const ACTORS = ['authorId', 'userId', 'approverId', 'actorId'] as const;
/** The sources of what people write themselves; every other one is a program's. */
const OWN_SOURCES: readonly Source[] = ['WEB', 'FORM'];

/**
 * Throws 403 if the body of a signed-in person's request names another person as the one who acts, or a program as its
 * source. Keys write in the name of others: that is how people in chat reply.
 */
export function requireOwnIdentity({ session, personId }: Caller, body: unknown): void {
  if (!session) return;
  const { data } = fieldsOf(body);
  for (const [prefix, fields] of [
    ['', fieldsOf(body)],
    ['data.', fieldsOf(data)],
  ] as const) {
    for (const name of ACTORS)
      if (![undefined, null, personId].includes(fields[name] as string | null | undefined))
        throw new ServiceProblem(
          'FORBIDDEN',
          `You can act only as yourself: leave ${prefix}${name} out, or send your own id.`,
        );
    const { source } = fields;
    if (source && !OWN_SOURCES.includes(source as Source))
      throw new ServiceProblem(
        'FORBIDDEN',
        `The ${prefix}source of a signed-in person is ${OWN_SOURCES.join(' or ')}.`,
      );
  }
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** Returns whether a caller is the bridge: only it knows who is in which channel. */
export function isBridge({ session, source, queueIds }: Caller): boolean {
  return !session && source === 'CHAT' && !queueIds;
}

/** Throws 403 if a key with queues writes to another queue, or an AI tool to one that it may not read. */
export function requireOwnQueue({ queueIds, reach }: Caller, queueId: string): void {
  if (reach && !reach.queueIds.includes(queueId))
    throw new ServiceProblem('FORBIDDEN', 'AI tools may not use this queue (Settings, Queues, AI).');
  if (queueIds && !queueIds.includes(queueId))
    throw new ServiceProblem('FORBIDDEN', 'This key reads and writes only the tickets of its own queues.');
}

/**
 * Throws 403 if a body names a message in chat. Such a pair returns the record that is stored for it, whichever it is; so
 * only callers who see all tickets may send one.
 */
export function requireNoChatPair(body: {
  chatChannelId?: string | null | undefined;
  chatTimestamp?: string | null | undefined;
}): void {
  if (body.chatChannelId || body.chatTimestamp)
    throw new ServiceProblem(
      'FORBIDDEN',
      'Only API keys of all queues and admins may send chatChannelId and chatTimestamp. Leave them out.',
    );
}

/** Returns the source of what a caller writes without naming one. */
export function defaultSource({ session, agent }: Caller): Source {
  if (agent) return 'AGENT';
  return session ? 'WEB' : 'API';
}
