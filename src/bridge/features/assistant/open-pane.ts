import type { Tx } from '../../../platform/database/open.ts';
import { PANE_GREETING, PROMPTS_TITLE } from './blocks.ts';
import type { Bridge } from '../../bridge.ts';
import { ChatError } from '../../slack/errors.ts';
import { type OutboxBody, type OutboxRow, plan } from '../../outbox/outbox.ts';
import type { Call } from '../../outbox/send.ts';
import type { ChatWriter } from '../../slack/writer.ts';
import { PROMPTS } from './rules.ts';
import type { EventOf } from '../../slack/chat-event.ts';
import type { Turn } from '../../inbox/turn.ts';
import { isNoRoot } from '../../slack/ids.ts';
import type { BridgeTables } from '../../schema/tables.ts';
import { readTicket } from '../../tickets/find-ticket.ts';
import { conversationOfRow } from '../cards/send-card.ts';

type PaneBody = Extract<OutboxBody, { kind: 'pane' }>;

/**
 * Somebody opened chat's assistant pane, which is the direct conversation with the bot: where the workspace wants it,
 * they are offered what to ask (B61). A new thread gets a greeting too. What they write there is a direct message (B8).
 */
export async function openPane(bridge: Bridge, turn: Turn<EventOf<'pane'>>): Promise<void> {
  const { team, pane } = turn.event;
  const { channel, thread } = pane;
  if (!(await bridge.channels.inAssistant())) return turn.finish('B61 not offered in the assistant pane');
  const offer: PaneBody = {
    kind: 'pane',
    shows: { what: 'prompts', ...(thread === undefined ? {} : { thread }) },
  };
  await turn.finish('B61 the assistant pane was opened', async (tx) => {
    const place = { conversationId: null, team, channel };
    if (thread !== undefined)
      await plan(tx, bridge, place, [{ kind: 'line', text: PANE_GREETING, under: thread }, offer]);
    // Whoever goes to and fro is offered it once for all the times that are still to be sent.
    else if (!(await isOffering(tx, channel))) await plan(tx, bridge, place, [offer]);
  });
}

async function isOffering(tx: Tx<BridgeTables>, channel: string): Promise<boolean> {
  const waiting = await tx
    .selectFrom('outbox')
    .select('id')
    .where('channel_id', '=', channel)
    .where('kind', '=', 'pane')
    .where('conversation_id', 'is', null)
    .where('state', '=', 'planned')
    .executeTakeFirst();
  return waiting !== undefined;
}

/** Shows something beside the messages of the pane, at most once: what chat does not take is not worth a word. */
export async function paneCall(
  bridge: Bridge,
  writer: ChatWriter,
  row: OutboxRow,
  { shows }: PaneBody,
): Promise<Call | undefined> {
  const { channel_id: channel } = row;
  switch (shows.what) {
    case 'prompts':
      return besides(bridge, 'assistant.threads.setSuggestedPrompts', () =>
        writer.suggest(channel, shows.thread, PROMPTS_TITLE, PROMPTS),
      );
    case 'status':
      return besides(bridge, 'assistant.threads.setStatus', () =>
        writer.showStatus(channel, shows.thread, shows.text),
      );
    case 'title': {
      const conversation = await conversationOfRow(bridge, row);
      if (!conversation?.ticket_id || conversation.root_gone || isNoRoot(conversation.root_ts))
        return undefined;
      const ticket = await readTicket(bridge, conversation.ticket_id);
      return (
        ticket &&
        besides(bridge, 'assistant.threads.setTitle', () =>
          writer.nameThread(channel, conversation.root_ts, `${ticket.code} ${ticket.title ?? ''}`.trim()),
        )
      );
    }
  }
}

function besides(bridge: Bridge, method: Call['methods'][number], show: () => Promise<void>): Call {
  return {
    methods: [method],
    make: async () => {
      try {
        await show();
      } catch (error) {
        // Also what may pass is not tried again: it is of the moment, and nothing is to wait behind it.
        if (!(error instanceof ChatError)) throw error;
        bridge.log.info({ err: error, event: 'pane.refused' }, 'chat shows nothing beside the messages here');
      }
      return undefined;
    },
  };
}
