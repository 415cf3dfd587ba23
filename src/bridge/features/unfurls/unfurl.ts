import { z } from 'zod';

import { cardOf } from '../../blocks/card.ts';
import type { Bridge } from '../../bridge.ts';
import { isRejected } from '../../slack/errors.ts';
import { featureKind, type OutboxRow, planPosts } from '../../store/posts.ts';
import { postKind } from '../../outbox/post-kind.ts';
import type { EventOf } from '../../slack/chat-event.ts';
import type { EventContext } from '../../inbox/event-context.ts';
import { findByThread } from '../../store/conversations.ts';
import { shownKey } from '../../slack/ids.ts';
import { codeOfPage, readCardFacts } from '../../tickets/ticket-facts.ts';
import { transaction } from '../../../platform/database/open.ts';
import { hiddenPreview, recordShown } from '../shown/index.ts';
import { isTrusted } from '../../people/trust.ts';
import { mayShow } from '../../tickets/permissions.ts';
import { readNamed, readTicket, type Ticket } from '../../tickets/find-ticket.ts';
import type { Done } from '../../work.ts';

/** Plans the previews of links to tickets, below the message or in the draft (B41). */
const Unfurl = z.object({
  ts: z.string(),
  thread: z.string().optional(),
  /** Slack's id of the place of the links; absent in older events. */
  unfurlId: z.string().optional(),
  source: z.enum(['composer', 'conversations_history']).optional(),
  urls: z.array(z.string()),
});

/**
 * Maximum number of previews per message: as many as Slack shows
 * (https://docs.slack.dev/messaging/unfurling-links-in-messages).
 */
const LINKS_AT_MOST = 5;

/** A user wrote links to tickets, in a message or its draft: adds previews (B41). */
export async function unfurlLinks(bridge: Bridge, ctx: EventContext<EventOf<'link'>>): Promise<Done> {
  const { team, link } = ctx.event;
  const urls = link.urls
    .filter((url) => codeOfPage(bridge.publicUrl, url) !== undefined)
    .slice(0, LINKS_AT_MOST);
  if (urls.length === 0) return ctx.finish('no link to a ticket');
  const { channel, ...where } = link;
  const orderingKey = shownKey({ team, channel, ts: link.ts });
  return ctx.finish('links to tickets', (tx) =>
    planPosts(tx, bridge, { conversationId: null, team, channel, orderingKey }, [
      { kind: featureKind('unfurl'), ...where, urls },
    ]),
  );
}

/**
 * Adds the previews, from the current records: a card without controls, or only that the ticket is not for everyone.
 * Rejections by Slack are ignored.
 */
export const unfurlPost = postKind(
  'unfurl',
  'card',
  Unfurl,
  async (bridge, writer, row, { urls, ...where }) => {
    const unfurls: Record<string, { blocks: readonly unknown[] }> = {};
    for (const url of urls) {
      const named = await readNamed(bridge, codeOfPage(bridge.publicUrl, url) ?? '');
      // A draft is only seen by who writes it, who may read it now.
      if (named && where.source !== 'composer') await record(bridge, row, named, { ts: where.ts, url });
      // Read after that: what changes from here on finds the preview.
      const ticket = named && (await readTicket(bridge, named.id));
      if (
        !ticket?.published ||
        ticket.archivedAt ||
        !(await bridge.channels.isOffered(ticket.queue?.workspaceId))
      )
        continue;
      const isShown = await mayBeShown(bridge, ticket, row, where.thread ?? where.ts);
      const { blocks } = isShown ? cardOf(await readCardFacts(bridge, ticket)) : hiddenPreview(ticket);
      unfurls[url] = { blocks };
    }
    if (Object.keys(unfurls).length === 0) return undefined;
    return {
      methods: ['chat.unfurl'],
      make: async () => {
        try {
          await writer.unfurl({ ...where, channel: row.channel_id }, unfurls);
        } catch (error) {
          if (!isRejected(error)) throw error;
          bridge.log.info({ err: error, event: 'unfurl.refused' }, 'Slack rejected the preview of a link');
        }
        return undefined;
      },
    };
  },
);

/** Records the preview of a ticket that everyone may read: it is taken back if they may not any more. */
async function record(
  bridge: Bridge,
  { team_id: team, channel_id: channel }: OutboxRow,
  ticket: Ticket,
  { ts, url }: { ts: string; url: string },
): Promise<void> {
  if (!(await bridge.channels.isForEveryone(ticket))) return;
  await transaction(bridge.database.db, (tx) => recordShown(tx, [ticket.id], { team, channel, ts, url }));
}

/** A ticket that everyone may read anywhere, another one only in its own thread if that may show it. */
async function mayBeShown(
  bridge: Bridge,
  ticket: Ticket,
  { team_id: team, channel_id: channel }: OutboxRow,
  root: string,
): Promise<boolean> {
  if ((await bridge.channels.isForEveryone(ticket)) && (await isTrusted(bridge))) return true;
  const conversation = await findByThread(bridge.database.db, { team, channel, root });
  return conversation?.ticket_id === ticket.id && mayShow(bridge, ticket, conversation);
}
