import type { z } from 'zod';

import type { operations } from 'virtual:operations';

import type { routes } from '../../../contract/index.ts';

type Routes = typeof routes;
/** An operation that the desk's server offers to this page. */
export type Operation = keyof typeof operations;

/** The response of an operation. */
type Plain<N extends Operation> = z.output<Routes[N]['answer']>;
/** Parameters of an operation's query, before defaults are filled in. */
export type QueryOf<N extends Operation> = Routes[N] extends { query: infer Q extends z.ZodType }
  ? z.input<Q>
  : object;
export type BodyOf<N extends Operation> = Routes[N] extends { body: infer B extends z.ZodType }
  ? z.input<B>
  : undefined;

/** Fields that the desk's server adds to records for this page (src/desk/shown.ts). */
type Shown<Record> = Record extends { content: string; reactions: { emoji: string }[] }
  ? Record & { html: string; reactions: { sign?: string }[] }
  : Record extends { chatUsers: unknown; image: unknown }
    ? Record & { picture: string | null }
    : Record extends { chatThreads: { messageTs: string }[]; followers: unknown }
      ? Record & { html: string; chatThreads: { url?: string | null }[] }
      : Record;

export type Answer<N extends Operation> =
  Plain<N> extends { items: (infer Item)[] }
    ? Omit<Plain<N>, 'items'> & { items: Shown<Item>[] }
    : Shown<Plain<N>>;

export type ItemOf<N extends Operation> = Answer<N> extends { items: (infer Item)[] } ? Item : never;

export type Ticket = ItemOf<'listTickets'>;
export type TicketDetail = Answer<'readTicket'>;
export type Message = ItemOf<'listTicketMessages'>;
export type Person = ItemOf<'listUsers'>;
export type Queue = ItemOf<'listQueues'>;
export type Status = ItemOf<'listStatuses'>;

/** Input of an operation; `params` fill the path. */
export interface Input<N extends Operation> {
  params?: Record<string, string>;
  query?: QueryOf<N>;
  body?: BodyOf<N>;
}
