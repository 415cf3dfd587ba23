import type { Bridge } from '../../bridge.ts';
import type { Answer } from '../../slack/respond.ts';
import type { Person } from '../../people/people.ts';
import type { Begun } from '../../tickets/create-once.ts';
import type { Ticket } from '../../tickets/find-ticket.ts';

/** What somebody asked for by a command, or by its words in a ticket's thread. */
export interface Asked {
  team: string;
  channel: string;
  person: Person;
  /** What stands behind the command's name and reference, as it was typed. */
  words: string;
  /** The same as chat wrote it, with mentions and links that can be told from text. */
  escaped: string;
  begun: Begun;
  /** When it was typed, from which “in 2 hours” is counted: it may be worked much later (B33, B47). */
  typedAt: Date;
  /** The same however often this is worked, and no other command's. */
  key: string;
}

/** What the person is told. */
export type Said = Answer & {
  /** Nothing was done. */
  refused?: boolean;
};

/** What a command does; what changes something is kept and tried again while the service is away (B47). */
export type Work =
  | { changes: boolean; run(bridge: Bridge, asked: Asked): Promise<Said> }
  /** About one ticket, which the person may see; whether they may change it is judged by the work itself. */
  | { changes: boolean; onTicket(bridge: Bridge, asked: Asked, ticket: Ticket): Promise<Said> };

/** A refusal: what was wrong, and what to type instead (B36). */
export function refuse(text: string): Said {
  return { text, refused: true };
}
