import { z } from 'zod';

import type { Drawn } from '../../blocks/kit.ts';
import type { Bridge } from '../../bridge.ts';
import { ticketCheck } from '../../inbox/store.ts';
import { messageKind } from '../../outbox/post-kind.ts';
import { isRejected } from '../../slack/errors.ts';
import { respond } from '../../slack/respond.ts';
import { featureKind, planPosts } from '../../store/posts.ts';
import { readTicket } from '../../tickets/find-ticket.ts';
import type { BridgeTx } from '../../work.ts';
import { recordShown } from './take-back.ts';

/** A post that a user shared with a channel, with the tickets that it shows. */
export type Shared = Drawn & { tickets: readonly string[] };

/** Plans to show tickets to the channel in which a person pressed *Share here*. */
export async function planShared(
  tx: BridgeTx,
  bridge: Bridge,
  { team, channel, responseUrl }: { team: string; channel: string; responseUrl: string },
  { text, blocks, tickets }: Shared,
): Promise<void> {
  await planPosts(tx, bridge, { conversationId: null, team, channel }, [
    { kind: featureKind('shared'), text, blocks, tickets, responseUrl },
  ]);
}

/**
 * Shows tickets to a channel, unless one is not for everyone any more. The bot posts it itself where it is a member, so
 * that it can take it back; elsewhere Slack takes only an answer, which nobody can change.
 */
export const sharedPost = messageKind(
  'shared',
  'reply',
  z.object({
    text: z.string(),
    blocks: z.array(z.unknown()),
    tickets: z.array(z.string()),
    responseUrl: z.string(),
  }),
  async (bridge, writer, row, { text, blocks, tickets, responseUrl }) => {
    const { team_id: team, channel_id: channel } = row;
    // One that was begun is looked up and recorded; then it is taken back.
    if (row.state !== 'sending' && !(await areForEveryone(bridge, tickets))) return undefined;
    return {
      methods: ['chat.postMessage'],
      lookIn: { thread: undefined },
      make: async (id) => {
        try {
          return (await writer.post({ channel, text, blocks, metadata: { id } })).ts;
        } catch (error) {
          if (!isRejected(error)) throw error;
          await respond(bridge, responseUrl, { text, blocks, shared: true });
          return undefined;
        }
      },
      after: async (tx, ts) => {
        if (ts === undefined) return;
        await recordShown(tx, tickets, { team, channel, ts });
        // They may have changed since they were read.
        tx.plan.add(...tickets.map(ticketCheck));
      },
    };
  },
);

async function areForEveryone(bridge: Bridge, ticketIds: readonly string[]): Promise<boolean> {
  for (const id of ticketIds) {
    const ticket = await readTicket(bridge, id);
    if (!ticket || !(await bridge.channels.isForEveryone(ticket))) return false;
  }
  return true;
}
