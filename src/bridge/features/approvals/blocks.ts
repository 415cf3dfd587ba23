import { escapeMrkdwn } from '../../../platform/text/mrkdwn.ts';
import type { KnownBlock, ModalView } from '@slack/types';

import { shorten } from '../../../contract/index.ts';
import { CHANGE_DAYS } from './rules.ts';
import { markdownExcerpt } from '../../text/to-chat.ts';
import { type Subject, subjectBlock } from '../../blocks/card.ts';
import {
  actions,
  button,
  type Drawn,
  INPUT_CHARACTERS,
  modal,
  plain,
  plainContext,
  section,
  textArea,
  quoteBlock,
} from '../../blocks/kit.ts';

/** Action ids of questions in direct messages; the value of each is the ticket. */
export const ASK_ACTIONS = {
  approve: 'approval_approve',
  decline: 'approval_decline',
  words: 'survey_words',
} as const;

/** The buttons of a survey: an action id per score, because those of one message must differ. */
const SCORE_ACTION = 'survey_score_';
const SCORE_WORDS = ['Bad', 'Poor', 'Fair', 'Good', 'Great'];
export const SCORE_ACTIONS = SCORE_WORDS.map((_, one) => `${SCORE_ACTION}${one + 1}`);

export function scoreOf(actionId: string): number | undefined {
  const at = SCORE_ACTIONS.indexOf(actionId);
  return at === -1 ? undefined : at + 1;
}

/** Callback ids of their modals, and their inputs. */
export const ASK_MODALS = { decline: 'decline_ticket', words: 'survey_feedback' } as const;
export const ASK_FIELDS = { reason: 'reason', words: 'feedback' } as const;

interface ApprovalFacts extends Subject {
  ticketId: string;
  requester: string | undefined;
  description: string;
  /** Undefined until there is a decision. */
  decision: { what: 'approved' | 'declined'; by: string | undefined; reason: string | null } | undefined;
  isAsked: boolean;
}

const DESCRIPTION_SHOWN = 600;

/** Returns an approver's message (B39): the question, then the decision. */
export function approvalMessage(facts: ApprovalFacts): Drawn {
  const head = subjectBlock(facts);
  const { decision } = facts;
  if (decision) {
    const mark = decision.what === 'approved' ? ':white_check_mark:' : ':no_entry:';
    const who = decision.by === undefined ? '' : ` by *${escapeMrkdwn(decision.by)}*`;
    const why = decision.reason ? [quoteBlock(oneLine(decision.reason))] : [];
    const outcome = `${mark} ${decision.what === 'approved' ? 'Approved' : 'Declined'}${who}.`;
    return { text: `${facts.code}: ${outcome}`, blocks: [head, section(outcome), ...why] };
  }
  if (!facts.isAsked) {
    const text = 'You are no longer asked to approve this.';
    return { text: `${facts.code}: ${text}`, blocks: [head, section(text)] };
  }
  const asks = facts.requester ? `${escapeMrkdwn(facts.requester)} asks` : 'A requester asks';
  const about = facts.description === '' ? [] : [quoteBlock(oneLine(facts.description))];
  return {
    text: `${asks} for your approval: ${facts.code} ${escapeMrkdwn(shorten(facts.title, 150))}`,
    blocks: [
      section(`*${asks} for your approval*`),
      head,
      ...about,
      actions([
        button(ASK_ACTIONS.approve, 'Approve', facts.ticketId, 'primary'),
        button(ASK_ACTIONS.decline, 'Decline', facts.ticketId, 'danger'),
      ]),
    ],
  };
}

interface SurveyFacts extends Subject {
  ticketId: string;
  score: number | null;
  feedback: string | null;
  isOpen: boolean;
}

/** Returns the requester's message (B40): the question, then the answer and how to change it. */
export function surveyMessage({ ticketId, score, feedback, isOpen, ...subject }: SurveyFacts): Drawn {
  const asks = score === null ? '*How did we do?*' : `*Thank you.* You rated this ${score} out of 5.`;
  const quote = feedback ? [quoteBlock(oneLine(feedback))] : [];
  const blocks: KnownBlock[] = [section(asks), subjectBlock(subject), ...quote];
  if (isOpen) {
    const scores = SCORE_WORDS.map((word, at) =>
      button(`${SCORE_ACTION}${at + 1}`, `${at + 1}  ${word}`, ticketId, at + 1 === score ? 'primary' : ''),
    );
    blocks.push(actions(scores));
    const words = feedback ? 'Change your comment' : 'Add a comment';
    if (score !== null)
      blocks.push(
        actions([button(ASK_ACTIONS.words, words, ticketId)]),
        plainContext(`You can change this for ${CHANGE_DAYS} days.`),
      );
  }
  return {
    text:
      score === null
        ? `How did we do? ${subject.code} ${escapeMrkdwn(shorten(subject.title, 150))}`
        : `${subject.code}: you rated this ${score} out of 5.`,
    blocks,
  };
}

/** Asks why a user declines (B39). */
export function declineModal(metadata: string, externalId: string): ModalView {
  const hint = 'Everyone who can see the ticket can read it.';
  const more = { placeholder: plain('What would have to change') };
  return modal('Decline', [textArea(ASK_FIELDS.reason, 'Why?', hint, more)], {
    callback_id: ASK_MODALS.decline,
    submit: plain('Decline'),
    private_metadata: metadata,
    external_id: externalId,
  });
}

/** Asks for a comment on a rating (B40). */
export function feedbackModal(metadata: string, externalId: string, feedback: string | null): ModalView {
  const more = feedback ? { initial_value: feedback.slice(0, INPUT_CHARACTERS) } : {};
  const hint = 'The team can read it.';
  const words = textArea(ASK_FIELDS.words, 'What went well, and what didn’t?', hint, more);
  return modal('Comment', [{ ...words, optional: true }], {
    callback_id: ASK_MODALS.words,
    submit: plain('Save'),
    private_metadata: metadata,
    external_id: externalId,
  });
}

function oneLine(markdown: string): string {
  return shorten(markdownExcerpt(markdown), DESCRIPTION_SHOWN);
}
