import type { KnownBlock, ModalView } from '@slack/types';

import { shorten } from '../../../contract/index.ts';
import { CHANGE_DAYS } from './rules.ts';
import { escapeChat, markdownWords } from '../../text/to-chat.ts';
import { type Subject, subjectLine } from '../../blocks/results.ts';

/** Action ids of questions in direct messages; the value of each is the ticket. */
export const ASK_ACTIONS = {
  approve: 'approval_approve',
  decline: 'approval_decline',
  words: 'survey_words',
} as const;

/** The buttons of a survey: an action id per score, because those of one message must differ. */
const SCORE_ACTION = 'survey_score_';
const SCORES = [1, 2, 3, 4, 5] as const;
const SCORE_WORD: Record<number, string> = {
  1: '1  Bad',
  2: '2  Poor',
  3: '3  Fair',
  4: '4  Good',
  5: '5  Great',
};

export function scoreOf(actionId: string): number | undefined {
  return SCORES.find((score) => actionId === `${SCORE_ACTION}${score}`);
}

/** Callback ids of their modals, and their inputs. */
export const ASK_MODALS = { decline: 'decline_ticket', words: 'survey_feedback' } as const;
export const ASK_FIELDS = { reason: 'reason', words: 'feedback' } as const;

interface Message {
  text: string;
  blocks: KnownBlock[];
}

interface ApprovalFacts extends Subject {
  ticketId: string;
  requester: string | undefined;
  description: string;
  /** Undefined until there is a decision. */
  decision: { what: 'approved' | 'declined'; by: string | undefined; reason: string | null } | undefined;
  /** They are still an approver. */
  isAsked: boolean;
}

const DESCRIPTION_SHOWN = 600;

/** Returns an approver's message (B39): the question, then the decision. */
export function approvalMessage(facts: ApprovalFacts): Message {
  const head = subjectLine(facts);
  const { decision } = facts;
  if (decision) {
    const mark = decision.what === 'approved' ? ':white_check_mark:' : ':no_entry:';
    const who = decision.by === undefined ? '' : ` by *${escapeChat(decision.by)}*`;
    const why = decision.reason ? `\n> ${escapeChat(oneLine(decision.reason))}` : '';
    const outcome = `${mark} ${decision.what === 'approved' ? 'Approved' : 'Declined'}${who}.`;
    return { text: `${facts.code}: ${outcome}`, blocks: [section(`${head}\n${outcome}${why}`)] };
  }
  if (!facts.isAsked) {
    const text = 'You are no longer asked to approve this.';
    return { text: `${facts.code}: ${text}`, blocks: [section(`${head}\n${text}`)] };
  }
  const asks = facts.requester ? `${escapeChat(facts.requester)} asks` : 'A requester asks';
  const about = facts.description === '' ? '' : `\n> ${escapeChat(oneLine(facts.description))}`;
  return {
    text: `${asks} for your approval: ${facts.code} ${escapeChat(shorten(facts.title, 150))}`,
    blocks: [
      section(`*${asks} for your approval*\n${head}${about}`),
      {
        type: 'actions',
        elements: [
          button(ASK_ACTIONS.approve, 'Approve', facts.ticketId, 'primary'),
          button(ASK_ACTIONS.decline, 'Decline', facts.ticketId, 'danger'),
        ],
      },
    ],
  };
}

interface SurveyFacts extends Subject {
  ticketId: string;
  score: number | null;
  feedback: string | null;
  /** The answer may be given or changed. */
  isOpen: boolean;
}

/** Returns the requester's message (B40): the question, then the answer and how to change it. */
export function surveyMessage({ ticketId, score, feedback, isOpen, ...subject }: SurveyFacts): Message {
  const head = subjectLine(subject);
  const asks = score === null ? '*How was the help with this?*' : `*Thank you.* You rated it ${score} of 5.`;
  const words = feedback ? `\n> ${escapeChat(oneLine(feedback))}` : '';
  const blocks: KnownBlock[] = [section(`${asks}\n${head}${words}`)];
  if (isOpen) {
    blocks.push({
      type: 'actions',
      elements: SCORES.map((one) =>
        button(
          `${SCORE_ACTION}${one}`,
          SCORE_WORD[one] ?? String(one),
          ticketId,
          one === score ? 'primary' : undefined,
        ),
      ),
    });
    if (score !== null)
      blocks.push(
        {
          type: 'actions',
          elements: [button(ASK_ACTIONS.words, feedback ? 'Change your words' : 'Add a few words', ticketId)],
        },
        {
          type: 'context',
          elements: [{ type: 'plain_text', text: `You can change this for ${CHANGE_DAYS} days.` }],
        },
      );
  }
  return {
    text:
      score === null
        ? `How was the help with ${subject.code} ${escapeChat(shorten(subject.title, 150))}?`
        : `${subject.code}: you rated it ${score} of 5.`,
    blocks,
  };
}

/** Asks why a user declines (B39). */
export function declineModal(metadata: string, externalId: string): ModalView {
  return {
    ...written('Decline', 'Decline', metadata, externalId),
    callback_id: ASK_MODALS.decline,
    blocks: [
      input(ASK_FIELDS.reason, 'Why?', {
        hint: 'Everyone who can see the ticket can read it.',
        placeholder: 'What would have to change',
      }),
    ],
  };
}

/** Asks for a comment on a rating (B40). */
export function feedbackModal(metadata: string, externalId: string, feedback: string | null): ModalView {
  return {
    ...written('A few words', 'Save', metadata, externalId),
    callback_id: ASK_MODALS.words,
    blocks: [
      input(ASK_FIELDS.words, 'What went well, what did not?', {
        hint: 'The help desk’s team reads it.',
        optional: true,
        initial: feedback ?? '',
      }),
    ],
  };
}

/** https://docs.slack.dev/reference/block-kit/block-elements/plain-text-input-element */
const INPUT_CHARACTERS = 3_000;

function written(title: string, submit: string, metadata: string, externalId: string) {
  return {
    type: 'modal' as const,
    title: plain(title),
    close: plain('Cancel'),
    submit: plain(submit),
    private_metadata: metadata,
    external_id: externalId,
  };
}

function input(
  id: string,
  label: string,
  more: { hint: string; placeholder?: string; optional?: boolean; initial?: string },
): KnownBlock {
  return {
    type: 'input',
    block_id: id,
    optional: more.optional ?? false,
    label: plain(label),
    hint: plain(more.hint),
    element: {
      type: 'plain_text_input',
      action_id: id,
      multiline: true,
      focus_on_load: true,
      max_length: INPUT_CHARACTERS,
      ...(more.placeholder ? { placeholder: plain(more.placeholder) } : {}),
      ...(more.initial ? { initial_value: more.initial.slice(0, INPUT_CHARACTERS) } : {}),
    },
  };
}

const plain = (text: string) => ({ type: 'plain_text' as const, text });

function section(text: string): KnownBlock {
  return { type: 'section', text: { type: 'mrkdwn', verbatim: true, text } };
}

function button(action_id: string, text: string, value: string, style?: 'primary' | 'danger') {
  return { type: 'button' as const, action_id, value, text: plain(text), ...(style ? { style } : {}) };
}

function oneLine(markdown: string): string {
  return shorten(markdownWords(markdown), DESCRIPTION_SHOWN);
}
