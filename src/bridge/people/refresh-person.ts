import type { Bridge } from '../bridge.ts';
import type { EventOf } from '../slack/chat-event.ts';
import type { Turn } from '../inbox/turn.ts';
import { findPerson, readPerson } from './people.ts';

/** A user changed in Slack: reads their name and picture again, and updates their user (B10, B13). */
export async function refreshPerson(bridge: Bridge, turn: Turn<EventOf<'person'>>): Promise<void> {
  const { team, user } = turn.event;
  const known = await findPerson(bridge, team, user.id);
  if (!known) return turn.finish('B10 nobody that is known here');
  const { is_deleted } = await readPerson(bridge, team, user.id, known);
  return turn.finish(is_deleted ? 'B10 deactivated: no longer mentioned' : 'B10 name and picture read again');
}
