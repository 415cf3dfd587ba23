import type { ChatEvent, EventOf } from '../../slack/chat-event.ts';
import { Turn } from '../turn.ts';

/** Returns the event context that the job passed along. */
export function turnOf(context: Record<string, unknown>): Turn<ChatEvent> {
  const { turn } = context;
  if (!(turn instanceof Turn)) throw new Error('an event reached its listener without its turn');
  return turn as Turn<ChatEvent>;
}

/** Returns whether the context's event is of this kind; narrows its type. */
export function isTurnOf<Kind extends ChatEvent['kind']>(
  turn: Turn<ChatEvent>,
  kind: Kind,
): turn is Turn<EventOf<Kind>> {
  return turn.event.kind === kind;
}
