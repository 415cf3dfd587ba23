import { closeView, type Submitted, submitView } from '../interactions/submit.ts';
import { NoSuchElement } from '../interactions/fill.ts';
import {
  openHome,
  type Pressed,
  pressInMessage,
  pressInView,
  suggest,
  type Suggested,
} from '../interactions/press.ts';
import { apiView, type OpenView } from '../views/open-view.ts';
import type { ApiView } from '../views/view.ts';
import type { Person } from '../workspace/directory.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { ControlError, type createFinders } from './find.ts';
import { VIEW_REQUESTS, type ViewRequestOf } from './view-requests.ts';

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

/** What people do with buttons, forms, modals and the App Home. */
export interface ViewControl {
  /** An act on an element of a message (`channel`, `messageTs`) or of a view (`viewId`). */
  interact(request: ViewRequestOf<'interact'>): Promise<Pressed>;
  submitView(request: ViewRequestOf<'submitView'>): Promise<Submitted & { views: ShownViews }>;
  /** `view_closed` was sent for those of `closed` that ask for it (`notify_on_close`). */
  closeView(request: ViewRequestOf<'closeView'>): Promise<{ closed: string[]; views: ShownViews }>;
  /** `channel` is the Messages tab. */
  openHome(request: ViewRequestOf<'openHome'>): Promise<{ channel: string; home: ShownView | null }>;
  suggest(request: ViewRequestOf<'suggest'>): Promise<Suggested>;
  /** What the app shows this person beside the messages of their direct conversation. */
  views(user: string): ShownViews;
}

export function createViewControl(
  workspace: Workspace,
  find: ReturnType<typeof createFinders>,
  baseUrl: () => string,
): ViewControl {
  const { views, directory } = workspace;

  const shownView = (view: OpenView): ShownView => ({
    ...apiView(directory.team, view),
    user: view.userId,
    errors: view.errors,
    ...(view.notice === undefined ? {} : { notice: view.notice }),
  });
  const shownViews = (person: Person): ShownViews => {
    const home = views.homeOf(person.id, find.app().id);
    return { stack: views.stackOf(person.id).map(shownView), home: home ? shownView(home) : null };
  };

  /** The view that is visible, which must be the one that is named, if one is. */
  const visible = (person: Person, viewId: string | undefined): OpenView => {
    const top = views.stackOf(person.id).at(-1);
    if (!top) throw new ControlError(`no modal is open before "${person.name}"`);
    if (viewId !== undefined && viewId !== top.id)
      throw new ControlError(`the view "${viewId}" is not visible to "${person.name}"; "${top.id}" is`);
    return top;
  };
  const reachable = (person: Person, viewId: string): OpenView => {
    const home = views.homeOf(person.id, find.app().id);
    return home?.id === viewId ? home : visible(person, viewId);
  };
  const where = (place: { user: string; channel?: string | undefined; messageTs?: string | undefined }) => {
    if (place.channel === undefined || place.messageTs === undefined)
      throw new ControlError('name a view (viewId) or a message (channel and messageTs)');
    const channel = find.channel(place.channel, place.user);
    return { channel, message: find.message(channel, place.messageTs) };
  };

  return {
    interact: (request) =>
      offered(async () => {
        const { user, viewId, action, values, ...place } = VIEW_REQUESTS.interact.parse(request);
        const person = find.person(user);
        if (viewId !== undefined)
          return pressInView(workspace, { person, view: reachable(person, viewId), action, values });
        const { channel, message } = where({ user, ...place });
        return pressInMessage(workspace, find.app(), baseUrl(), { channel, person, message, action, values });
      }),

    submitView: (request) =>
      offered(async () => {
        const { user, viewId, values } = VIEW_REQUESTS.submitView.parse(request);
        const person = find.person(user);
        const view = visible(person, viewId);
        if (!view.definition.submit) throw new ControlError('this view has no submit button');
        if (view.submitting) throw new ControlError('this view is being submitted');
        const submitted = await submitView(workspace, baseUrl(), { person, view, values });
        return { ...submitted, views: shownViews(person) };
      }),

    async closeView(request) {
      const { user, viewId, all } = VIEW_REQUESTS.closeView.parse(request);
      const person = find.person(user);
      const closed = await closeView(workspace, { person, view: visible(person, viewId), all });
      return { closed: closed.map(({ id }) => id), views: shownViews(person) };
    },

    async openHome(request) {
      const { user, tab } = VIEW_REQUESTS.openHome.parse(request);
      const person = find.person(user);
      const channel = openHome(workspace, find.app(), person, tab);
      return { channel: channel.id, home: shownViews(person).home };
    },

    suggest: (request) =>
      offered(async () => {
        const { user, viewId, actionId, blockId, value, ...place } = VIEW_REQUESTS.suggest.parse(request);
        const person = find.person(user);
        const typing = { person, actionId, blockId, value };
        if (viewId !== undefined) return suggest(workspace, { ...typing, view: reachable(person, viewId) });
        return suggest(workspace, { ...typing, app: find.app(), ...where({ user, ...place }) });
      }),

    views: (user) => shownViews(find.person(user)),
  };
}

/** An element or a choice that is not offered is the asker's mistake. */
async function offered<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof NoSuchElement ? new ControlError(error.message) : error;
  }
}
