// Says who reads the tickets of a queue that not everyone may read, and why somebody does or does not read one.

import { escapeMrkdwn } from '../../platform/text/mrkdwn.ts';
import type { Answer } from '../../client/index.ts';
import type { Bridge } from '../bridge.ts';
import type { Person } from '../people/people.ts';
import { isTrusted } from '../people/trust.ts';
import { readsQueue, type Ticket } from './find-ticket.ts';
import { takesPart } from './rules.ts';
import { ticketLink } from './ticket-facts.ts';

const PART = 'who takes part in one: requester, author, assignee, followers and approvers';

/** Returns who reads the tickets of a queue, in a sentence; undefined: everyone. */
export function readersWords(readers: string, queue: string): string | undefined {
  if (readers === 'workspace') return undefined;
  const whose = `the tickets of *${escapeMrkdwn(queue)}*`;
  return readers === 'agents'
    ? `Only agents read ${whose}, and ${PART}.`
    : `Only its team reads ${whose}, and ${PART}.`;
}

/** Says why somebody may read a ticket that they named. */
export async function whyReadable(bridge: Bridge, ticket: Ticket, person: Person): Promise<string> {
  const can = `You can read ${ticketLink(bridge, ticket.code)}:`;
  if (takesPart(ticket, person.user_id)) return `${can} you take part in it.`;
  if (ticket.private) return `${can} it is private, and you are in the team of its queue.`;
  const readers = await bridge.channels.readersOf(ticket.queueId);
  if (readers === 'workspace') return `${can} everyone may read it.`;
  return readers === 'agents'
    ? `${can} you are an agent, or in the team of its queue.`
    : `${can} you are in the team of its queue.`;
}

/** Says why somebody may not read a ticket of which they know that it is there. */
export async function whyNotReadable(bridge: Bridge, ticket: Ticket, person: Person): Promise<string> {
  if (!(await isTrusted(bridge)))
    return 'People of this Slack workspace read only tickets in which they take part.';
  if (!(await readsQueue(bridge, ticket.queueId, person))) {
    const readers = await bridge.channels.readersOf(ticket.queueId);
    return readersWords(readers, ticket.queue?.name ?? 'its queue') ?? 'Its ticket is private.';
  }
  return 'Its ticket is private.';
}

/**
 * Says why somebody finds no ticket with a reference. It is the same whether there is one: only the queue of the
 * reference decides, and everyone may know the queues.
 */
export async function whyNotFound(bridge: Bridge, code: string, person: Person): Promise<string> {
  const named = `\`${escapeMrkdwn(code)}\``;
  if (!(await isTrusted(bridge)))
    return `You cannot read ${named}, or there is no such ticket: people of this Slack workspace read only tickets in which they take part.`;
  const queue = await queueOf(bridge, code);
  const readers = readersWords(queue?.visibility ?? 'workspace', queue?.name ?? '');
  if (!queue || readers === undefined || (await readsQueue(bridge, queue.id, person)))
    return `You cannot read ${named}, or there is no such ticket. It may be private: then only the team of its queue reads it, and ${PART}. Or it moved to a queue that you do not read.`;
  const way =
    queue.visibility === 'team'
      ? 'Its team can make you a follower of one; an admin can add you to the team, at the desk (Settings, People). Admins themselves open its tickets at the desk, where it is recorded.'
      : 'Its team can make you a follower of one.';
  return `You cannot read ${named}, or there is no such ticket. ${readers} ${way}`;
}

type Queue = Answer<'listQueues'>['items'][number];

async function queueOf(bridge: Bridge, code: string): Promise<Queue | undefined> {
  const [prefix = ''] = code.split('-');
  for (const workspaceId of await bridge.channels.offered())
    for await (const queue of bridge.service.all('listQueues', { query: { workspaceId } }))
      if (!queue.deletedAt && queue.prefix.toLowerCase() === prefix.toLowerCase()) return queue;
  return undefined;
}
