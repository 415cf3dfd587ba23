import type { KnownBlock } from '@slack/types';
import { z } from 'zod';

import { context, plainContext } from '../../blocks/kit.ts';
import type { Tx } from '../../../platform/database/open.ts';
import type { Bridge } from '../../bridge.ts';
import type { BridgeTables } from '../../schema/tables.ts';
import { postKind } from '../../outbox/post-kind.ts';
import { isRejected } from '../../slack/errors.ts';
import { type ChatPlace, shownKey } from '../../slack/ids.ts';
import { featureKind, planPosts } from '../../store/posts.ts';
import { readTicket, type Ticket } from '../../tickets/find-ticket.ts';
import type { BridgeTx, Write } from '../../work.ts';

/** Where a ticket is shown: in a message of the bot, or in the preview of a link in a message. */
type ShownPlace = ChatPlace & { url?: string };

/** The bot's own messages have no link whose preview they are. */
const OWN = '';

/** Records where tickets are shown, beside their own places. */
export async function recordShown(
  tx: Tx<BridgeTables>,
  ticketIds: readonly string[],
  { team, channel, ts, url = OWN }: ShownPlace,
): Promise<void> {
  const place = { team_id: team, channel_id: channel, ts, url };
  await tx
    .insertInto('shown_ticket')
    .values(ticketIds.map((ticket_id) => ({ ticket_id, ...place })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Plans to take a ticket back wherever it is shown beside its own places; undefined if it is not. */
export async function planTakingBack(bridge: Bridge, ticketId: string): Promise<Write | undefined> {
  const rows = await bridge.database.db
    .selectFrom('shown_ticket')
    .selectAll()
    .where('ticket_id', '=', ticketId)
    .execute();
  if (rows.length === 0) return undefined;
  return async (tx) => {
    for (const { team_id: team, channel_id: channel, ts, url } of rows)
      await planPosts(
        tx,
        bridge,
        { conversationId: null, team, channel, orderingKey: shownKey({ team, channel, ts }) },
        [{ kind: featureKind('take-back'), ticket: ticketId, ts, url }],
      );
  };
}

/** The preview of a ticket where others than its readers may see it: only that there is one. */
export function hiddenPreview({ private: isPrivate }: Pick<Ticket, 'private'>): {
  blocks: readonly KnownBlock[];
} {
  return {
    blocks: [context(`:lock: ${isPrivate ? 'A private ticket' : 'A ticket that not everyone may read'}`)],
  };
}

const TAKEN_BACK = 'What was shown here is not for everyone any more.';

/** Takes back what a message shows of a ticket; nothing if everyone may read it again by then. */
export const takeBackPost = postKind(
  'take-back',
  'reply',
  z.object({ ticket: z.string(), ts: z.string(), url: z.string() }),
  async (bridge, writer, { channel_id: channel }, { ticket: ticketId, ts, url }) => {
    const ticket = await readTicket(bridge, ticketId);
    if (ticket && (await bridge.channels.isForEveryone(ticket))) return undefined;
    const forget = async (tx: BridgeTx) => {
      await tx
        .deleteFrom('shown_ticket')
        .where((where) => where.and({ channel_id: channel, ts, url }))
        .execute();
    };
    if (url === OWN)
      return {
        methods: ['chat.update'],
        make: () => writer.update(channel, ts, TAKEN_BACK, [plainContext(TAKEN_BACK)]).then(() => undefined),
        after: forget,
        gone: forget,
      };
    return {
      methods: ['chat.unfurl'],
      make: async () => {
        try {
          await writer.unfurl({ channel, ts }, { [url]: hiddenPreview(ticket ?? { private: false }) });
        } catch (error) {
          if (!isRejected(error)) throw error;
          bridge.log.info({ err: error, event: 'unfurl.refused' }, 'Slack rejected the preview of a link');
        }
        return undefined;
      },
      after: forget,
    };
  },
);
