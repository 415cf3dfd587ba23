import { type NoticeKind, shorten } from '../../../contract/index.ts';
import { type Subject, subjectBlock } from '../../blocks/card.ts';
import { actions, type Drawn, plain, plainContext, section } from '../../blocks/kit.ts';
import { NOTICE_LEVELS, type NoticeLevel, noticeLevelOf } from '../../people/notice-level.ts';
import { withoutFileLines } from '../../../platform/text/copied-files.ts';
import { parseMarkdown } from '../../../platform/text/markdown.ts';
import { escapeMrkdwn } from '../../../platform/text/mrkdwn.ts';
import { markdownExcerpt } from '../../text/to-chat.ts';
import type { Bridge } from '../../bridge.ts';
import type { ChatAction } from '../../slack/interaction.ts';
import type { Answer } from '../../slack/respond.ts';

/** The change, with names. */
interface NoticeFact {
  kind: NoticeKind;
  by: string | null;
  /** What the message says (`wordsOf`); null if it was taken back. */
  words: string | null;
  isNote: boolean;
}

interface NoticeState {
  status: string;
  assignee: string | null;
  decision: 'approved' | 'declined' | null;
  reason: string | null;
}

const WORDS_SHOWN = 280;
const FILES_SHOWN = 3;

/** Returns all notifications for one user about one ticket, in one message (B43). It mentions nobody. */
export function noticeMessage(subject: Subject, facts: readonly NoticeFact[], state: NoticeState): Drawn {
  const all = facts.filter(({ kind }) => kind === 'reply' || kind === 'note');
  const others = facts.filter((fact) => !all.includes(fact));
  const standing = all.filter(({ words }) => words !== null);
  const replies = standing.length > 0 ? standing : all.slice(-1);
  const last = replies.at(-1);
  const lines = [
    ...new Set(others.map((fact) => factLine(fact, state))),
    ...(replies.length > 1 ? [`${replies.length} new messages, the last of them:`] : []),
    ...(last ? [factLine(last, state)] : []),
  ];
  return {
    text: escapeMrkdwn(`${subject.code}: `) + (lines[0] ?? ''),
    blocks: [subjectBlock(subject), section(lines.join('\n'))],
  };
}

function factLine({ kind, by, words, isNote }: NoticeFact, state: NoticeState): string {
  const who = by === null ? undefined : `*${escapeMrkdwn(by)}*`;
  const author = who ?? 'A user';
  const said = words === null ? undefined : escapeMrkdwn(words);
  const status = `*${escapeMrkdwn(state.status)}*`;
  switch (kind) {
    case 'assigned':
      return who ? `${who} assigned it to you.` : 'It is assigned to you.';
    case 'passed-on':
      return state.assignee
        ? `It is now assigned to *${escapeMrkdwn(state.assignee)}*.`
        : 'It is no longer assigned to you.';
    case 'status':
      return who ? `${who} set it to ${status}.` : `It is now ${status}.`;
    case 'decided': {
      const reason = state.reason ? `: ${quoted(state.reason)}` : '.';
      const what = state.decision ?? 'decided';
      return who ? `${who} ${what} it${reason}` : `It is ${what}${reason}`;
    }
    case 'reply':
      return said === undefined ? `${author} took a message back.` : `${author} wrote: ${said}`;
    case 'note':
      return said === undefined
        ? `${author} took an internal note back.`
        : `${author} left an internal note: ${said}`;
    case 'mention': {
      const where = isNote ? ' in an internal note' : '';
      return said === undefined
        ? `${author} mentioned you${where}, and took it back.`
        : `${author} mentioned you${where}: ${said}`;
    }
  }
}

/** Returns a text in one line, cut to a length, without mentions. */
function quoted(markdown: string): string {
  return `“${escapeMrkdwn(shorten(markdownExcerpt(markdown), WORDS_SHOWN))}”`;
}

/**
 * Returns what a ticket message says, in one line and not yet escaped: its words, cut to a length and in quotation
 * marks, and the names of its files behind them.
 */
export function messageExcerpt({
  content,
  files: attached = [],
}: {
  content: string;
  files?: readonly { name: string }[] | undefined;
}): string {
  const { rest, names } = withoutFileLines(parseMarkdown(content));
  const words = markdownExcerpt(rest);
  const files = names.length > 0 ? names : attached.map(({ name }) => name);
  const more = files.length - FILES_SHOWN;
  const list = files
    .slice(0, FILES_SHOWN)
    .map((name) => `📎 ${shorten(name, WORDS_SHOWN)}`)
    .concat(more > 0 ? [`and ${more} more`] : [])
    .join(', ');
  const said = words === '' && list !== '' ? '' : `“${shorten(words, WORDS_SHOWN)}”`;
  return [said, list].filter(Boolean).join(' ');
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
