import { z } from 'zod';

import { action, givenValues, NoSuchElement } from '../interactions/fill.ts';
import { openHome, pressInMessage, pressInView, suggest } from '../interactions/press.ts';
import { closeView, submitView } from '../interactions/submit.ts';
import { apiView, type OpenView } from '../views/open-view.ts';
import type { ApiView } from '../views/view.ts';
import type { Person } from '../workspace/directory.ts';
import { type Context, ControlError, name, operation } from './operation.ts';

/** A view as a person sees it: what the app sent, what is filled in (`state.values`), and what the client says. */
export type ShownView = ApiView & {
  user: string;
  /** Below fields, by block id: the client's own complaints or the app's `response_action: errors`. */
  errors: Record<string, string>;
  /** Over a modal whose app did not answer: "We had some trouble connecting. Try again?" */
  notice?: string;
};

/** What a person has before them. */
export interface ShownViews {
  /** The open modal, bottom first; the last one is visible. Empty: no modal is open. */
  stack: ShownView[];
  /** The Home tab; null before the app published one. */
  home: ShownView | null;
}

/** An element of a view (`viewId`: one of the person's open ones or their Home), or of a message. */
const surface = {
  user: name,
  viewId: z.string().optional(),
  channel: name.optional(),
  messageTs: z.string().optional(),
};
const openView = { user: name, viewId: z.string().optional() };

/** What people do with buttons, forms, modals and the App Home. */
export const VIEW_OPERATIONS = {
  /** Presses a button, chooses in a menu, presses Enter in a field; `values` are put in before. */
  interact: operation(
    z.object({ ...surface, action, values: givenValues.default({}) }),
    (context, { user, viewId, action: done, values, ...where }) =>
      offered(async () => {
        const { workspace, find, baseUrl } = context;
        const pressed = { person: find.person(user), action: done, values };
        if (viewId !== undefined)
          return pressInView(workspace, { ...pressed, view: reachable(context, pressed.person, viewId) });
        const message = messageAt(context, { user, ...where });
        return pressInMessage(workspace, find.app(), baseUrl(), { ...pressed, ...message });
      }),
  ),

  /** Presses the submit button of the view on top; `values` are put in before. */
  submitView: operation(
    z.object({ ...openView, values: givenValues.default({}) }),
    (context, { user, viewId, values }) =>
      offered(async () => {
        const person = context.find.person(user);
        const view = visible(context, person, viewId);
        if (!view.definition.submit) throw new ControlError('this view has no submit button');
        if (view.submitting) throw new ControlError('this view is being submitted');
        const submitted = await submitView(context.workspace, context.baseUrl(), { person, view, values });
        return { ...submitted, views: viewsOf(context, person) };
      }),
  ),

  /**
   * Presses the close button of the view on top; `all`: the cross, which closes the whole modal. `view_closed` was sent
   * for those of `closed` that ask for it (`notify_on_close`).
   */
  closeView: operation(
    z.object({ ...openView, all: z.boolean().default(false) }),
    async (context, { user, viewId, all }) => {
      const person = context.find.person(user);
      const closed = await closeView(context.workspace, {
        person,
        view: visible(context, person, viewId),
        all,
      });
      return { closed: closed.map(({ id }) => id), views: viewsOf(context, person) };
    },
  ),

  /** `channel` is the Messages tab. */
  openHome: operation(
    z.object({ user: name, tab: z.enum(['home', 'messages']).default('home') }),
    (context, { user, tab }) => {
      const person = context.find.person(user);
      const channel = openHome(context.workspace, context.find.app(), person, tab);
      return { channel: channel.id, home: viewsOf(context, person).home };
    },
  ),

  /** Types `value` into an external select. */
  suggest: operation(
    z.object({ ...surface, actionId: name, blockId: z.string().optional(), value: z.string().default('') }),
    (context, { user, viewId, actionId, blockId, value, ...where }) =>
      offered(async () => {
        const { workspace, find } = context;
        const typing = { person: find.person(user), actionId, blockId, value };
        if (viewId !== undefined)
          return suggest(workspace, { ...typing, view: reachable(context, typing.person, viewId) });
        return suggest(workspace, { ...typing, app: find.app(), ...messageAt(context, { user, ...where }) });
      }),
  ),
};

/** The views that a person has before them. */
export function viewsOf({ workspace: { views, directory }, find }: Context, person: Person): ShownViews {
  const shown = (view: OpenView): ShownView => ({
    ...apiView(directory.team, view),
    user: view.userId,
    errors: view.errors,
    ...(view.notice === undefined ? {} : { notice: view.notice }),
  });
  const home = views.homeOf(person.id, find.app().id);
  return { stack: views.stackOf(person.id).map(shown), home: home ? shown(home) : null };
}

/** The view that is visible, which must be the one that is named, if one is. */
function visible({ workspace }: Context, person: Person, viewId: string | undefined): OpenView {
  const top = workspace.views.stackOf(person.id).at(-1);
  if (!top) throw new ControlError(`no modal is open before "${person.name}"`);
  if (viewId !== undefined && viewId !== top.id)
    throw new ControlError(`the view "${viewId}" is not visible to "${person.name}"; "${top.id}" is`);
  return top;
}

function reachable(context: Context, person: Person, viewId: string): OpenView {
  const home = context.workspace.views.homeOf(person.id, context.find.app().id);
  return home?.id === viewId ? home : visible(context, person, viewId);
}

function messageAt(
  { find }: Context,
  place: { user: string; channel?: string | undefined; messageTs?: string | undefined },
) {
  if (place.channel === undefined || place.messageTs === undefined)
    throw new ControlError('name a view (viewId) or a message (channel and messageTs)');
  const channel = find.channel(place.channel, place.user);
  return { channel, message: find.message(channel, place.messageTs) };
}

/** An element or a choice that is not offered is the asker's mistake. */
async function offered<Result>(work: () => Promise<Result>): Promise<Result> {
  return work().catch((error: unknown) => {
    throw error instanceof NoSuchElement ? new ControlError(error.message) : error;
  });
}
