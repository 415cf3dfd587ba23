import type { Bridge } from '../../bridge.ts';
import type { Answer } from '../../slack/respond.ts';
import type { Person } from '../../people/people.ts';
import type { Begun } from '../../tickets/create-once.ts';
import type { Ticket } from '../../tickets/find-ticket.ts';

/** A command, or a mention in a ticket's thread that is one. */
export interface Asked {
  team: string;
  channel: string;
  person: Person;
  /** The text after the command's name and reference. */
  words: string;
  /** The same in Slack's markup, with mentions and links. */
  escaped: string;
  begun: Begun;
  /** When it was typed, for “in 2 hours”: it may run much later (B33, B47). */
  typedAt: Date;
  /** Unique per command, the same for every attempt. */
  key: string;
}

/** The answer to the user. */
export type Said = Answer & {
  /** Nothing was done. */
  refused?: boolean;
};

/**
 * The implementation of a command; one that changes something is stored and retried while the service is unavailable
 * (B47).
 */
export type Work =
  | { changes: boolean; run(bridge: Bridge, asked: Asked): Promise<Said> }
  /** About one ticket, which the user may see; the implementation checks whether they may change it. */
  | { changes: boolean; onTicket(bridge: Bridge, asked: Asked, ticket: Ticket): Promise<Said> };

/** Returns an error: what was wrong, and what to type instead (B36). */
export function refuse(text: string): Said {
  return { text, refused: true };
}
