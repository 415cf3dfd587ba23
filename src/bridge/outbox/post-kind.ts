import type { z } from 'zod';

import type { Bridge } from '../bridge.ts';
import type { WriteMethod } from '../slack/limits.ts';
import type { ChatWriter } from '../slack/writer.ts';
import type { OutboxRow } from '../store/posts.ts';
import type { BridgeTx } from '../work.ts';
import type { Rank, Ranks } from './turn.ts';

/** Writes in the transaction that records a row as accepted by Slack; `found`: an earlier attempt's post was found. */
export type AfterSend = (tx: BridgeTx, ts: string | undefined, found: boolean) => Promise<void>;

/** A call to Slack, ready to be made. */
export interface Call {
  /** The methods it calls, whose budgets it waits for; the main one first. */
  methods: readonly [WriteMethod, ...WriteMethod[]];
  /** Where to look for a post with an unknown outcome; absent for calls that may simply be repeated. */
  lookIn?: { thread: string | undefined };
  /** The part of a ticket message that it posts: if that is taken back before the call, the call is not made. */
  part?: string;
  /**
   * It is drawn when it is made, and not made if that is shown already. After an attempt whose effect is not known the
   * row stays begun, so that it is made again: what is wanted by then may be what was shown before that attempt.
   */
  isDrawn?: true;
  /** Makes the call, with the row's id in its metadata; a post returns its timestamp. */
  make(id: string): Promise<string | undefined>;
  after?: AfterSend;
  /** Deletes a post that was found outside its thread (B58); then it is posted again. */
  takeBack?(ts: string): Promise<void>;
  /** The message to change no longer exists; for an emoji: Slack will never accept it. */
  gone?: (tx: BridgeTx) => Promise<void>;
  /** Slack will never accept it: notifies those who wait for it. */
  refused?: (reason: string) => Promise<void>;
}

/** A kind of row in the outbox: how it is drawn and sent. */
export interface PostKind {
  kind: string;
  /** Its priority if not everything can be sent at once. */
  rank: Rank;
  /** It is a new message: only the success of another new message shows that Slack accepts them. */
  isMessage: boolean;
  /** Turns a planned row into the call that carries it out; undefined if there is nothing left to do. */
  call(bridge: Bridge, writer: ChatWriter, row: OutboxRow): Promise<Call | undefined>;
}

type Draw<Schema extends z.ZodType> = (
  bridge: Bridge,
  writer: ChatWriter,
  row: OutboxRow,
  body: z.output<Schema>,
) => Promise<Call | undefined> | Call;

/**
 * A kind of row that changes something in Slack; one that is a new message is a `messageKind`.
 * @param draw makes the call, from the body as the schema reads it.
 */
export function postKind<Schema extends z.ZodType>(
  kind: string,
  rank: Rank,
  body: Schema,
  draw: Draw<Schema>,
): PostKind {
  return {
    kind,
    rank,
    isMessage: false,
    call: async (bridge, writer, row) => draw(bridge, writer, row, body.parse(row.body)),
  };
}

export function messageKind<Schema extends z.ZodType>(
  kind: string,
  rank: Rank,
  body: Schema,
  draw: Draw<Schema>,
): PostKind {
  return { ...postKind(kind, rank, body, draw), isMessage: true };
}

export function ranksOf(kinds: readonly PostKind[]): Ranks {
  return Object.fromEntries(kinds.map(({ kind, rank }) => [kind, rank]));
}
