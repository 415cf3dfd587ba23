import type { ChatEvent, EventOf } from '../../slack/chat-event.ts';
import { Turn } from '../turn.ts';

/** The turn that the lane sent along with an event. */
export function turnOf(context: Record<string, unknown>): Turn<ChatEvent> {
  const { turn } = context;
  if (!(turn instanceof Turn)) throw new Error('an event reached its listener without its turn');
  return turn as Turn<ChatEvent>;
}

/** Whether the turn's event is of this kind; narrows its type. */
export function isTurnOf<Kind extends ChatEvent['kind']>(
  turn: Turn<ChatEvent>,
  kind: Kind,
): turn is Turn<EventOf<Kind>> {
  return turn.event.kind === kind;
}
