import type { Db } from '../../platform/database/open.ts';
import type { Tables } from '../schema/tables.ts';
import type { StoredMessage } from './content.ts';
import { say } from './channels.ts';
import type { Channel } from './directory.ts';
import { noteOnceDone } from './message-events.ts';
import { permalinkOf } from './permalink.ts';
import { eventMessage } from './render.ts';
import { lock, save } from './rows.ts';
import type { Change, Workspace } from './workspace.ts';

export type PinOutcome = 'done' | 'message_not_found' | 'already_pinned' | 'no_pin';

/** Pins a message to its channel or takes the pin away: `pin_added` or `pin_removed`, and the line of a new pin. */
export async function setPin(
  workspace: Workspace,
  channel: Channel,
  pin: { ts: string; user: string; present: boolean },
): Promise<PinOutcome> {
  const outcome = await workspace.change(channel, async (change): Promise<PinOutcome> => {
    const message = await lock(change, pin.ts);
    if (!message || message.ephemeral_for !== null) return 'message_not_found';
    const created = Math.floor(change.now.getTime() / 1000);
    if (pin.present) {
      const added = await change.tx
        .insertInto('pin')
        .values({ channel_id: channel.id, ts: pin.ts, user_id: pin.user, created_at: created })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      if (added.numInsertedOrUpdatedRows === 0n) return 'already_pinned';
    } else {
      const removed = await change.tx
        .deleteFrom('pin')
        .where('channel_id', '=', channel.id)
        .where('ts', '=', pin.ts)
        .executeTakeFirst();
      if (removed.numDeletedRows === 0n) return 'no_pin';
    }
    const { pinned_to: _before, ...content } = message.content;
    const after: StoredMessage = {
      ...message,
      content: pin.present ? { ...content, pinned_to: [channel.id] } : content,
    };
    await save(change, after);
    await emitPin(workspace, change, after, pin, created);
    noteOnceDone(workspace, change, after, 'changed');
    return 'done';
  });
  if (outcome === 'done' && pin.present)
    await say(workspace, channel, pin.user, {
      subtype: 'pinned_item',
      text: `<@${pin.user}> pinned a message to this channel.`,
      item_type: 'C',
      item: { type: 'message', ts: pin.ts },
    });
  return outcome;
}

async function emitPin(
  workspace: Workspace,
  change: Change,
  message: StoredMessage,
  pin: { user: string; present: boolean },
  created: number,
): Promise<void> {
  const count = await pinCount(change.tx, change.channel.id);
  change.emit({
    type: pin.present ? 'pin_added' : 'pin_removed',
    user: pin.user,
    channel_id: change.channel.id,
    item: pinShape(workspace, message, pin.user, created),
    item_user: message.content.user ?? '',
    pin_count: String(count),
    pinned_info: { channel: change.channel.id, pinned_by: pin.user, pinned_ts: created },
    ...(pin.present ? {} : { has_pins: count > 0 }),
    event_ts: change.ts,
  });
}

/** How many messages are pinned to a channel. */
export async function pinCount(db: Db<Tables>, channelId: string): Promise<number> {
  const { count } = await db
    .selectFrom('pin')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('channel_id', '=', channelId)
    .executeTakeFirstOrThrow();
  return count;
}

/** A pin as pins.list and the events give it. */
function pinShape(
  workspace: Workspace,
  message: StoredMessage,
  user: string,
  created: number,
): Record<string, unknown> {
  return {
    type: 'message',
    channel: message.channel_id,
    created,
    created_by: user,
    message: {
      ...eventMessage(message),
      permalink: permalinkOf(workspace.directory.team.domain, message),
    },
  };
}

/** The pins of a channel, newest first. */
export async function pinsOf(workspace: Workspace, channel: Channel): Promise<Record<string, unknown>[]> {
  const rows = await workspace.db
    .selectFrom('pin')
    .innerJoin('message', (join) =>
      join.onRef('message.channel_id', '=', 'pin.channel_id').onRef('message.ts', '=', 'pin.ts'),
    )
    .selectAll('message')
    .select(['pin.user_id', 'pin.created_at'])
    .where('pin.channel_id', '=', channel.id)
    .orderBy('pin.created_at', 'desc')
    .orderBy('pin.ts', 'desc')
    .execute();
  return rows.map((row) => pinShape(workspace, row, row.user_id, row.created_at));
}
