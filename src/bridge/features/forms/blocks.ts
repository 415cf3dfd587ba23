import type { KnownBlock, ModalView, PlainTextOption } from '@slack/types';

import {
  choicesOf,
  FORM_WINDOW,
  type FormKind,
  type FormMenus,
  type FormPart,
  type FormShape,
  formParts,
  kindGroups,
  shorten,
  WINDOW,
} from '../../../contract/index.ts';
import { blockOf, type Form, type FormField, OWN_QUESTIONS } from './rules.ts';
import type { Filled } from '../../slack/interaction.ts';
import { escapeChat } from '../../text/to-chat.ts';
import { type SimilarTicket, similarLines } from '../../tickets/similar.ts';
import { choiceOption, menuOptions, plain, questionBlock } from './form-input.ts';

/** Callback id of the form for new tickets. */
export const FORM_CALLBACK = 'new_ticket_form';

/** Action ids of buttons that open the form. */
export const FORM_BUTTONS = { open: 'new_ticket', again: 'form_again' } as const;

/** The contents of the form. */
export interface FormView {
  /** The request types on offer. */
  forms: readonly Form[];
  chosen: FormShape<FormField> | undefined;
  filled: Filled;
  menus: FormMenus;
  /** Tickets that may already answer what is asked. */
  similar?: readonly SimilarTicket[];
}

/** Returns the form for new tickets (B37): the request type, then its questions. */
export function formModal(
  { forms, chosen, filled, menus, similar = [] }: FormView,
  metadata: string,
): ModalView {
  const answers = (field: FormField) => filled[blockOf(field)];
  // The menu shows the request type of the questions, even if nobody chose it.
  const held = chosen ? { ...filled, [OWN_QUESTIONS.type]: chosen.id } : filled;
  return {
    type: 'modal',
    callback_id: FORM_CALLBACK,
    private_metadata: metadata,
    title: plain(FORM_WINDOW.title),
    submit: plain(FORM_WINDOW.submit),
    close: plain(FORM_WINDOW.close),
    blocks: withSimilar(
      formParts({ kinds: forms, chosen, answers, menus, note: undefined }).map((part) =>
        partBlock(part, held),
      ),
      similar,
    ),
  };
}

/** Below the title, where the window has room for it. */
function withSimilar(blocks: KnownBlock[], similar: readonly SimilarTicket[]): KnownBlock[] {
  if (similar.length === 0 || blocks.length >= WINDOW.parts) return blocks;
  const text = `*These may already answer it*\n${similarLines(similar)}`;
  return blocks.flatMap((block): KnownBlock[] =>
    block.block_id === OWN_QUESTIONS.title
      ? [block, { type: 'context', elements: [{ type: 'mrkdwn', verbatim: true, text }] }]
      : [block],
  );
}

function partBlock(part: FormPart<FormField>, filled: Filled): KnownBlock {
  switch (part.kind) {
    case 'quiet':
      return { type: 'context', elements: [mrkdwn(part.text, WINDOW.quiet)] };
    case 'heading':
      return { type: 'header', text: plain(part.text) };
    case 'words':
      return { type: 'section', text: mrkdwn(part.text, WINDOW.words) };
    case 'divider':
      return { type: 'divider' };
    case 'question':
      return questionBlock(part, filled);
  }
}

/** An admin's text: it mentions nobody and contains no markup (an escaped text is longer). */
function mrkdwn(text: string, length: number) {
  return { type: 'mrkdwn' as const, verbatim: true, text: shorten(escapeChat(text), length) };
}

/** Returns a menu's choices for typed text. */
export function matching(
  records: readonly { id: string; label: string }[],
  typed: string,
): { options: PlainTextOption[] } {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const found = records.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
  return { options: choicesOf(found).slice(0, WINDOW.choices).map(choiceOption) };
}

/** Returns the request types for typed text. */
export function matchingKinds(kinds: readonly FormKind[], typed: string): ReturnType<typeof menuOptions> {
  const words = typed.toLowerCase().trim();
  const found = kinds.filter(({ name, parent }) =>
    `${parent?.name ?? ''} ${name}`.toLowerCase().includes(words),
  );
  return menuOptions(kindGroups(found.slice(0, WINDOW.choices - 1)));
}

/** Says why a form could not become a ticket, with a button that opens it with its values (B37). */
export function formAgain(text: string, draft: string): { text: string; blocks: KnownBlock[] } {
  return {
    text,
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', verbatim: true, text } },
      {
        type: 'actions',
        elements: [
          { type: 'button', action_id: FORM_BUTTONS.again, value: draft, text: plain('Open again') },
        ],
      },
    ],
  };
}
