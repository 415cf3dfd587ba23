import { type NoticeKind, shorten } from '../../../contract/index.ts';
import { type Subject, subjectBlock } from '../../blocks/card.ts';
import { actions, type Drawn, plain, plainContext, section } from '../../blocks/kit.ts';
import { NOTICE_LEVELS, type NoticeLevel, DEFAULT_LEVEL } from './rules.ts';
import { escapeChat, markdownWords } from '../../text/to-chat.ts';
import type { Bridge } from '../../bridge.ts';
import type { ChatAction } from '../../slack/interaction.ts';
import type { Answer } from '../../slack/respond.ts';

/** What happened, with names. */
interface NoticeFact {
  kind: NoticeKind;
  by: string | undefined;
  /** The message's Markdown. */
  words?: string | undefined;
  isNote?: boolean;
}

interface NoticeState {
  status: string;
  assignee: string | undefined;
  decision: 'approved' | 'declined' | undefined;
  reason: string | null;
}

const WORDS_SHOWN = 280;

/** Returns all notifications for one user about one ticket, in one message (B43). It mentions nobody. */
export function noticeMessage(subject: Subject, facts: readonly NoticeFact[], state: NoticeState): Drawn {
  const replies = facts.filter(({ kind }) => kind === 'reply' || kind === 'note');
  const others = facts.filter((fact) => !replies.includes(fact));
  const last = replies.at(-1);
  const lines = [
    ...new Set(others.map((fact) => lineOf(fact, state))),
    ...(replies.length > 1 ? [`${replies.length} new messages, the last of them:`] : []),
    ...(last ? [lineOf(last, state)] : []),
  ];
  return {
    text: escapeChat(`${subject.code}: `) + (lines[0] ?? ''),
    blocks: [subjectBlock(subject), section(lines.join('\n'))],
  };
}

function lineOf({ kind, by, words, isNote }: NoticeFact, state: NoticeState): string {
  const who = by === undefined ? undefined : `*${escapeChat(by)}*`;
  const author = who ?? 'A user';
  const said = quoted(words ?? '');
  const status = `*${escapeChat(state.status)}*`;
  switch (kind) {
    case 'assigned':
      return who ? `${who} assigned it to you.` : 'It is assigned to you.';
    case 'passed-on':
      return state.assignee
        ? `It is no longer yours: *${escapeChat(state.assignee)}* has it now.`
        : 'It is no longer assigned to you.';
    case 'status':
      return who ? `${who} set it to ${status}.` : `It is now ${status}.`;
    case 'decided': {
      const reason = state.reason ? `: ${quoted(state.reason)}` : '.';
      const what = state.decision ?? 'decided';
      return who ? `${who} ${what} it${reason}` : `It is ${what}${reason}`;
    }
    case 'reply':
      return `${author} wrote: ${said}`;
    case 'note':
      return `${author} left an internal note: ${said}`;
    case 'mention':
      return `${author} mentioned you${isNote ? ' in an internal note' : ''}: ${said}`;
  }
}

/** Returns a text in one line, cut to a length, without mentions. */
function quoted(markdown: string): string {
  return `“${escapeChat(shorten(markdownWords(markdown), WORDS_SHOWN))}”`;
}

export const NOTICE_CHOICE = 'choose_notices';

const CHOICES: Record<NoticeLevel, { label: string; does: string }> = {
  all: { label: 'Everything', does: 'on tickets that are assigned to me or that I follow' },
  mine: { label: 'Mine', does: 'tickets that are assigned to me, and where I am mentioned' },
  none: { label: 'Nothing', does: 'only what waits for my approval' },
};

/** `/ticket notify`: the notification levels, with the current one (B43). */
function noticeChoice(level: NoticeLevel, saved: boolean): Drawn {
  const options = NOTICE_LEVELS.map((value) => ({
    value,
    text: plain(CHOICES[value].label),
    description: plain(CHOICES[value].does),
  }));
  const initial = options.find(({ value }) => value === level);
  const head = saved ? 'Saved. Direct messages from me are about:' : 'Direct message notifications';
  return {
    text: `${head} ${CHOICES[level].label}: ${CHOICES[level].does}.`,
    blocks: [
      section(`*${head}*`),
      actions([
        {
          type: 'radio_buttons',
          action_id: NOTICE_CHOICE,
          options,
          ...(initial ? { initial_option: initial } : {}),
        },
      ]),
      plainContext('You are not notified of your own actions. Approval requests are always sent.'),
    ],
  };
}

type Account = Pick<ChatAction, 'team' | 'user'>;

/** Returns a chat user's notification level (B43). */
export async function noticeLevelOf(
  { database }: Pick<Bridge, 'database'>,
  { team, user }: Account,
): Promise<NoticeLevel> {
  const row = await database.db
    .selectFrom('notification_preference')
    .select('level')
    .where((where) => where.and({ team_id: team, chat_user_id: user }))
    .executeTakeFirst();
  return row?.level ?? DEFAULT_LEVEL;
}

/**
 * Shows or sets a user's notification level (`/ticket notify`, B43).
 * @param chosen as typed or selected; anything but a level only shows it.
 */
export async function chooseNotices(bridge: Bridge, account: Account, chosen = ''): Promise<Answer> {
  const level = NOTICE_LEVELS.find((one) => one === chosen.trim().toLowerCase());
  if (level === undefined) return noticeChoice(await noticeLevelOf(bridge, account), false);
  await bridge.database.db
    .insertInto('notification_preference')
    .values({ team_id: account.team, chat_user_id: account.user, level })
    .onConflict((conflict) => conflict.columns(['team_id', 'chat_user_id']).doUpdateSet({ level }))
    .execute();
  return noticeChoice(level, true);
}
