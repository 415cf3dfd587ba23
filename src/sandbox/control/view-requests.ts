import { z } from 'zod';

import type { JsonObject } from '../workspace/content.ts';
import type { ApiView } from '../views/view.ts';

/**
 * What a person puts into an element: text for a text field (a rich text field reads it as the composer does, or
 * takes its `rich_text` block), an option's `value`, an id, a date `YYYY-MM-DD`, a time `HH:mm`, Unix seconds; a list
 * where several can be chosen (ids of files for a file field); null empties it.
 */
export const given = z.union([
  z.string(),
  z.number(),
  z.null(),
  z.array(z.string()),
  z.record(z.string(), z.json()),
]);
export type Given = z.output<typeof given>;

/** What is put into a form, by block id and action id, as in `state.values`. */
export const givenValues = z.record(z.string(), z.record(z.string(), given));
export type GivenValues = z.output<typeof givenValues>;

const user = z.string().min(1);
const place = {
  user,
  /** A view: one of the person's open ones or their Home. */
  viewId: z.string().optional(),
  /** Or a message. */
  channel: z.string().optional(),
  messageTs: z.string().optional(),
};

/** What people do in modals and in the App Home; the same in process and over HTTP. */
export const VIEW_REQUESTS = {
  /** Presses the submit button of the view on top, or of `viewId`; `values` are put in before. */
  submitView: z.object({ user, viewId: z.string().optional(), values: givenValues.default({}) }),
  /** Presses the close button of the view on top; `all`: the cross, which closes the whole modal. */
  closeView: z.object({ user, viewId: z.string().optional(), all: z.boolean().default(false) }),
  openHome: z.object({ user, tab: z.enum(['home', 'messages']).default('home') }),
  /** Types `value` into an external select. */
  suggest: z.object({
    ...place,
    actionId: z.string().min(1),
    blockId: z.string().optional(),
    value: z.string().default(''),
  }),
} as const;

type Requests = typeof VIEW_REQUESTS;
export type ViewRequestOf<Name extends keyof Requests> = z.input<Requests[Name]>;

/** A view as a person sees it: what the app sent, what is filled in (`state.values`), and what the client says. */
export type ShownView = ApiView & {
  user: string;
  /** Below fields, by block id: the client's own complaints or the app's `response_action: errors`. */
  errors: Record<string, string>;
  /** In place of a closing modal: "We had some trouble connecting. Try again?" */
  notice?: string;
};

/** What a person has before them. */
export interface ShownViews {
  /** The open modal, bottom first; the last one is visible. Empty: no modal is open. */
  stack: ShownView[];
  /** The Home tab; null before the app published one. */
  home: ShownView | null;
}

/** How pressing submit ended. A view that was not closed is in `views.stack` with its errors or its notice. */
export type SubmitResult = { views: ShownViews } & (
  | { result: 'closed' | 'cleared' | 'updated' | 'pushed' }
  /** `client`: found before anything was sent, as Slack's client does for required fields. */
  | { result: 'errors'; by: 'client' | 'app'; errors: Record<string, string> }
  | {
      result: 'failed';
      error: 'operation_timeout' | 'dispatch_failed' | 'invalid_response';
      /** Why the app's answer could not be used. */
      messages: string[];
    }
);

/** `view_closed` was sent for those of `closed` that ask for it (`notify_on_close`). */
export interface CloseResult {
  closed: string[];
  views: ShownViews;
}

/** What the menu of an external select offers. */
export type SuggestResult =
  | { options: JsonObject[] }
  | { option_groups: JsonObject[] }
  /** Too short for `min_query_length`: the app was not asked. */
  | { sent: false; options: [] }
  | { error: 'operation_timeout' | 'dispatch_failed' | 'invalid_response'; messages: string[] };
