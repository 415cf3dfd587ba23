/** The state of the page; the whole page is redrawn after a change. */
export const state = {
  /** True if users sign in as themselves, false with an API key, undefined while unknown. */
  signIn: undefined,
  /**
   * Null when signed out, undefined while unknown. Of a user: `{ id, userId, user, role, queueIds }`.
   * Of an API key: `{ userId }`, which is null for the key's own user and absent before the user has chosen.
   */
  session: undefined,
  /** The providers, `{ id, name }` each; undefined while unknown. */
  providers: undefined,
  /** The reason code of a refused sign-in (parts/sign-in.js), or `ended` after a session that expired. */
  signInReason: undefined,
  /**
   * The current route: `{ name: 'list' | 'ticket' | 'new' | 'settings' }`, with the `code` of a ticket, or
   * the `section` and `item` of the settings.
   */
  route: { name: 'list' },
  filters: { status: 'open' },
  /** `matches`: for a search, the reason for each hit. */
  list: { items: [], total: 0, limit: 50 },
  /** The open ticket: `{ record, messages, earlier }`, or `{ error }`. */
  ticket: {},
  /** Similar tickets for a place: the open ticket's id, or the form for a new one. */
  similar: { place: undefined, words: '', items: [] },
  /** Options for selects. */
  queues: [],
  statuses: [],
  tags: [],
  forms: [],
  fields: [],
  /** Loaded users by id. */
  people: new Map(),
  /** The last write that can be undone: `{ id, field, back, expected }` with the ticket's `id`. */
  undo: undefined,
  /** The ticket that is about to be declined. */
  declining: undefined,
  /** Search results of a person field, by the field's key. */
  found: {},
  /** Places with a request in progress. */
  busy: new Set(),
  /** Errors by the place where they are shown. */
  errors: {},
  /** The state of each section of the settings, by its key. */
  settings: {},
  /** The question about the figures, and the result. */
  analytics: {},
  /** Dialogs. */
  help: false,
  choosing: false,
};

let draw = () => undefined;
let isPlanned = false;

export function drawWith(how) {
  draw = how;
}

export function change(part = {}) {
  Object.assign(state, part);
  if (isPlanned) return;
  isPlanned = true;
  queueMicrotask(() => {
    isPlanned = false;
    draw();
  });
}

/** Forgets what was read as another user, or with another role. */
export function forgetAll() {
  const { userId, user } = state.session ?? {};
  state.people.clear();
  if (user) state.people.set(userId, user);
  change({
    ticket: {},
    list: { items: [], total: 0, limit: 50 },
    similar: { place: undefined, words: '', items: [] },
    ...{ queues: [], statuses: [], tags: [], forms: [], fields: [] },
    ...{ settings: {}, analytics: {}, found: {}, undo: undefined, created: undefined },
    ...{ choosing: false, help: false },
  });
}

/** The service does not take the session any more. */
export function sessionEnded() {
  change({ session: null, ...(state.session && { signInReason: 'ended' }) });
}

/** Says it to those who listen instead of looking. */
export function say(text) {
  document.getElementById('said').textContent = text;
}

/**
 * Moves the focus once the change is drawn: the focused element may be gone. It runs before any key press.
 */
export function focusOn(selector) {
  change();
  queueMicrotask(() => document.querySelector(selector)?.focus());
}

/** Runs `work` once at a time per `place`; its error is shown there. Resolves to whether it succeeded. */
export async function attempt(place, work) {
  if (state.busy.has(place)) return false;
  state.busy.add(place);
  delete state.errors[place];
  change();
  try {
    await work();
    return true;
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'Refusal') throw error;
    state.errors[place] = error.message;
    say(error.message);
    return false;
  } finally {
    state.busy.delete(place);
    change();
  }
}
