import type { Selectable } from 'kysely';
import { z } from 'zod';

import type { Db } from '../../../platform/database/open.ts';
import { hiddenCard } from '../../blocks/card.ts';
import type { Bridge } from '../../bridge.ts';
import { messageCall } from '../../outbox/desired-state.ts';
import { featureKind, planPosts } from '../../store/posts.ts';
import { messageKind } from '../../outbox/post-kind.ts';
import type { BridgeTables } from '../../schema/tables.ts';
import { directKey, fingerprint } from '../../slack/ids.ts';
import type { TicketMessage } from '../../tickets/ticket-messages.ts';
import { noticeMessage, messageExcerpt } from './blocks.ts';
import type { BridgeTx } from '../../work.ts';

const text = z.string();
const NoticeFact = z.object({
  kind: z.enum(['assigned', 'passed-on', 'status', 'decided', 'reply', 'note', 'mention']),
  by: text.nullable(),
  /** The ticket message that it quotes. */
  message: text.nullable(),
  /** The shortened quote; null if the message was taken back. */
  words: text.nullable(),
  isNote: z.boolean(),
});
export type NoticeFact = z.output<typeof NoticeFact>;

const NoticeContents = z.object({
  subject: z.object({ code: text, url: text, title: text }),
  facts: z.array(NoticeFact),
  state: z.object({
    status: text,
    assignee: text.nullable(),
    decision: z.enum(['approved', 'declined']).nullable(),
    reason: text.nullable(),
  }),
  /** Its reader may not read the ticket any more. */
  isHidden: z.boolean().optional(),
});
export type NoticeContents = z.output<typeof NoticeContents>;

type Notice = Selectable<BridgeTables['notice']>;

/** A notification that is to be sent. */
export interface NewNotice {
  ticket: string;
  account: string;
  channel: string;
  contents: NoticeContents;
}

/** Stores a notification and plans to send it. */
export async function planNotice(
  tx: BridgeTx,
  bridge: Pick<Bridge, 'bot' | 'newId' | 'clock'>,
  { ticket, account, channel, contents }: NewNotice,
): Promise<void> {
  const id = bridge.newId('ntc');
  await tx
    .insertInto('notice')
    .values({
      id,
      ticket_id: ticket,
      team_id: bridge.bot.team,
      channel_id: channel,
      chat_user_id: account,
      contents: JSON.stringify(contents),
      made_at: bridge.clock.now(),
    })
    .execute();
  await planToShow(tx, bridge, { id, channel_id: channel });
}

async function planToShow(
  tx: BridgeTx,
  bridge: Pick<Bridge, 'bot' | 'newId' | 'clock'>,
  { id, channel_id: channel }: Pick<Notice, 'id' | 'channel_id'>,
): Promise<void> {
  const { team } = bridge.bot;
  const place = { conversationId: null, team, channel, orderingKey: directKey(team, channel) };
  await planPosts(tx, bridge, place, [{ kind: featureKind('notice'), notice: id }]);
}

/** A notification whose message has changed, with what it says now. */
export interface ChangedNotice extends Pick<Notice, 'id' | 'channel_id'> {
  contents: NoticeContents;
}

/**
 * Returns the notifications of a ticket that quote messages which have other words now, or were taken back; and those
 * whose readers may not read the ticket any more.
 */
export async function changedNotices(
  db: Db<BridgeTables>,
  ticketId: string,
  changed: readonly TicketMessage[],
  { isForAll, permissionsOf }: NoticeReaders,
): Promise<ChangedNotice[]> {
  if (changed.length === 0 && isForAll) return [];
  const notices = await db.selectFrom('notice').selectAll().where('ticket_id', '=', ticketId).execute();
  const found: ChangedNotice[] = [];
  for (const { id, channel_id, chat_user_id, contents: stored } of notices) {
    const contents = NoticeContents.parse(stored);
    const facts: NoticeFact[] = [];
    for (const fact of contents.facts)
      facts.push(await factNow(fact, changed, async () => (await permissionsOf(chat_user_id)).isTeam));
    const isHidden = !isForAll && !(await permissionsOf(chat_user_id)).sees;
    const now = { ...contents, facts, ...((isHidden || contents.isHidden) && { isHidden }) };
    if (fingerprint(now) !== fingerprint(contents)) found.push({ id, channel_id, contents: now });
  }
  return found;
}

/** A recipient of a ticket's notifications. */
interface NoticeReaders {
  /** Everyone may read it. */
  isForAll: boolean;
  /** What the account may read of the ticket. */
  permissionsOf: (account: string) => Promise<{ sees: boolean; isTeam: boolean }>;
}

async function factNow(
  fact: NoticeFact,
  changed: readonly TicketMessage[],
  isForTeam: () => Promise<boolean>,
): Promise<NoticeFact> {
  const message = changed.find(({ id }) => id === fact.message);
  if (!message) return fact;
  const isGone = message.deleted || (message.private && !fact.isNote && !(await isForTeam()));
  return { ...fact, words: isGone ? null : messageExcerpt(message) };
}

/** Stores what a notification says now, and plans to show it. */
export async function planChange(
  tx: BridgeTx,
  bridge: Pick<Bridge, 'bot' | 'newId' | 'clock'>,
  { contents, ...notice }: ChangedNotice,
): Promise<void> {
  await tx
    .updateTable('notice')
    .set({ contents: JSON.stringify(contents) })
    .where('id', '=', notice.id)
    .execute();
  await planToShow(tx, bridge, notice);
}

/** Posts a notification or changes it, drawn from its record when it is sent. */
export const noticePost = messageKind(
  'notice',
  'reply',
  z.object({ notice: z.string() }),
  async (bridge, writer, row, { notice: id }) => {
    const { db } = bridge.database;
    const notice = await db.selectFrom('notice').selectAll().where('id', '=', id).executeTakeFirst();
    if (!notice) return undefined;
    const { subject, facts, state, isHidden = false } = NoticeContents.parse(notice.contents);
    // All that it would say was taken back before it was said.
    const isVoid = isHidden || facts.every(({ message, words }) => message !== null && words === null);
    if (isVoid && notice.ts === null && row.state !== 'sending') return undefined;
    const { text: words, blocks } = isHidden
      ? hiddenCard({ code: subject.code, private: false })
      : noticeMessage(subject, facts, state);
    const shown = fingerprint([words, blocks]);
    // An earlier attempt may have shown something else, and not recorded it.
    if (notice.shown === shown && row.state !== 'sending') return undefined;
    const { channel_id: channel } = row;
    const as = await bridge.channels.botIdentity(channel);
    const set = (tx: BridgeTx, values: Partial<Pick<Notice, 'ts' | 'shown'>>) =>
      tx.updateTable('notice').set(values).where('id', '=', id).execute();
    return messageCall(
      writer,
      { channel, ts: notice.ts, text: words, blocks },
      {
        thread: undefined,
        post: async (post) =>
          (await writer.post({ channel, text: words, blocks, as, metadata: { id: post } })).ts,
        record: async (tx, ts, isCurrent) => {
          await set(tx, { ts, shown: isCurrent ? shown : null });
          if (!isCurrent) await planToShow(tx, bridge, notice);
        },
        // Its reader deleted it.
        gone: async (tx) => void (await set(tx, { shown })),
      },
    );
  },
);
