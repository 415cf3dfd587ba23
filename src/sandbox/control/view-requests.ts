import { z } from 'zod';

import { action, givenValues } from '../interactions/fill.ts';

const user = z.string().min(1);
const place = {
  user,
  /** A view: one of the person's open ones or their Home. */
  viewId: z.string().optional(),
  /** Or a message. */
  channel: z.string().min(1).optional(),
  messageTs: z.string().optional(),
};

/** What people do in modals and in the App Home; the same in process and over HTTP. */
export const VIEW_REQUESTS = {
  /** Presses a button, chooses in a menu, presses Enter in a field; `values` are put in before. */
  interact: z.object({ ...place, action, values: givenValues.default({}) }),
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
