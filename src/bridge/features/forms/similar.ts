import { ServiceError } from '../../../client/index.ts';
import type { Bridge } from '../../bridge.ts';
import { type Person, personOf } from '../../people/people.ts';
import { ChatError } from '../../slack/errors.ts';
import type { SimilarTicket } from '../../tickets/rules.ts';
import { similarTickets, type Listed } from '../../tickets/search.ts';
import type { Filled } from '../../slack/interaction.ts';
import { OWN_QUESTIONS } from './rules.ts';

/** The shortest title for which answers are looked for: in some scripts two characters are a word. */
const SHORTEST = 2;

/** Tickets that may already answer a request; none while the service or Slack is unavailable. */
export async function similarFor(
  bridge: Bridge,
  { team, user }: { team: string; user: string },
  filled: Filled,
  patienceMs?: number,
): Promise<SimilarTicket[]> {
  const title = filled[OWN_QUESTIONS.title];
  if (typeof title !== 'string' || title.trim().length < SHORTEST) return [];
  try {
    const person = await personOf(bridge, team, user);
    return await similarTickets(bridge, {
      words: title,
      ...(patienceMs === undefined ? {} : { patienceMs }),
      searcher: { person, queues: new Set() },
      mayShow: (ticket) => isTheirs(ticket, person) || isReadBy(bridge, ticket, person),
    });
  } catch (error) {
    if (error instanceof ServiceError || error instanceof ChatError) return [];
    throw error;
  }
}

/** One's own tickets, private ones too. */
function isTheirs({ requesterId, authorId, assigneeId, approvers }: Listed, { user_id }: Person): boolean {
  return (
    user_id !== null &&
    [requesterId, authorId, assigneeId, ...approvers.map(({ id }) => id)].includes(user_id)
  );
}

/**
 * Tickets of others only where Slack itself shows them to this person: public ones from public channels. A request from
 * a private channel, from direct messages or from outside Slack is not shown, though a search would find it (B35).
 */
async function isReadBy({ chat }: Bridge, ticket: Listed, { is_guest }: Person): Promise<boolean> {
  if (ticket.private || is_guest) return false;
  for (const { type, channelId } of ticket.chatThreads)
    if (type !== 'TRIAGE' && (await chat.isPublic(channelId))) return true;
  return false;
}

/** Milliseconds without another key after which a title counts as typed. */
const PAUSE_MS = 500;
const waiting = new Map<string, NodeJS.Timeout>();

/**
 * Calls `look` once nothing more is typed for a moment.
 * @param view the modal in which a user types.
 */
export function whenPaused(view: string, look: () => void): void {
  clearTimeout(waiting.get(view));
  const timer = setTimeout(() => {
    waiting.delete(view);
    look();
  }, PAUSE_MS);
  waiting.set(view, timer.unref());
}
