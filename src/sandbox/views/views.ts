import type { Clock } from '../../platform/clock.ts';
import { complaint } from '../blocks/check.ts';
import type { Journal } from '../journal.ts';
import { LIMITS } from '../limits.ts';
import type { Database } from '../store/database.ts';
import type { Tables } from '../store/tables.ts';
import type { JsonObject, StoredMessage } from '../workspace/content.ts';
import { parseBlocks } from '../rich-text/automatic.ts';
import type { App, Directory } from '../workspace/directory.ts';
import type { IdMaker } from '../workspace/ids.ts';
import { readingOf } from '../workspace/reading.ts';
import { newView, type OpenView, redefine, statesOf } from './open-view.ts';
import type { StateValues, ViewDefinition } from './view.ts';

/** Which view a call means. */
export interface ViewName {
  viewId?: string | undefined;
  externalId?: string | undefined;
}

/**
 * What people have before them: a modal each, of up to three views, and their Homes. Held in memory, where each
 * change is one step that nothing comes between; Homes are also kept in the database (`homes.ts`). A modal does not
 * outlive the process, as it does not outlive a reload of Slack's client.
 */
export class Views {
  readonly #clock: Clock;
  readonly #directory: Directory;
  readonly #ids: IdMaker;
  readonly #journal: Journal;
  /** By person, bottom first. */
  readonly #stacks = new Map<string, OpenView[]>();
  readonly #homes: OpenView[] = [];

  constructor(parts: { clock: Clock; directory: Directory; ids: IdMaker; journal: Journal }) {
    this.#clock = parts.clock;
    this.#directory = parts.directory;
    this.#ids = parts.ids;
    this.#journal = parts.journal;
  }

  /** A new modal. One that was open on that person's screen gives way to it. */
  open(app: App, { userId, channelId }: Occasion, definition: ViewDefinition): OpenView {
    this.#mustBeFree(definition.external_id);
    this.clear(userId);
    const view = newView(
      this.#ids,
      { app, userId, conversation: channelId },
      this.#withFound(definition),
      this.#newHash(),
    );
    this.#stacks.set(userId, [view]);
    this.#tell(view, 'opened');
    return view;
  }

  /** On top of the modal that `viewId` is in. */
  push(app: App, viewId: string, definition: ViewDefinition): OpenView {
    const from = this.find(viewId);
    if (from?.app.id !== app.id) throw new ViewRefused('not_found');
    if (from.definition.type !== 'modal')
      throw new ViewRefused('invalid_arguments', [
        complaint("must match the `type` of the root view whose stack we're pushing onto", '/view', ['type']),
      ]);
    const stack = this.stackOf(from.userId);
    if (stack.length >= LIMITS.viewsPerModal) throw new ViewRefused('push_limit_reached');
    this.#mustBeFree(definition.external_id);
    const { userId, conversation } = from;
    const under = stack.at(-1);
    const view = newView(
      this.#ids,
      { app, userId, conversation, under },
      this.#withFound(definition),
      this.#newHash(),
    );
    this.#stacks.set(userId, [...stack, view]);
    this.#tell(view, 'pushed');
    return view;
  }

  /** A definition with what Slack finds in its texts: links, and names of channels and groups. */
  #withFound(definition: ViewDefinition): ViewDefinition {
    return { ...definition, blocks: parseBlocks(definition.blocks, readingOf(this.#directory, false)) };
  }

  /** The view that is named, for `app` to change; `not_found` where there is none (it was closed). */
  named(app: App, { viewId, externalId }: ViewName): OpenView {
    const found = this.#all().find(
      (view) =>
        view.app.id === app.id &&
        (viewId === undefined ? view.definition.external_id === externalId : view.id === viewId),
    );
    if (!found) throw new ViewRefused('not_found');
    return found;
  }

  update(view: OpenView, definition: ViewDefinition, hash?: string): void {
    mustMatch(view, hash);
    this.#mustBeFree(definition.external_id, view);
    redefine(view, this.#ids, this.#withFound(definition), this.#newHash());
    this.#tell(view, view.definition.type === 'home' ? 'published' : 'updated');
  }

  /** The Home of one person; the app gives it a new definition or its first. */
  publish(app: App, userId: string, definition: ViewDefinition, hash?: string): OpenView {
    const present = this.homeOf(userId, app.id);
    if (present) {
      this.update(present, definition, hash);
      return present;
    }
    if (hash !== undefined) throw new ViewRefused('hash_conflict');
    this.#mustBeFree(definition.external_id);
    const view = newView(
      this.#ids,
      { app, userId, conversation: undefined },
      this.#withFound(definition),
      this.#newHash(),
    );
    this.#homes.push(view);
    this.#tell(view, 'published');
    return view;
  }

  /** Takes one view off its modal, with what lies above it; what was closed, top first. */
  close(view: OpenView): OpenView[] {
    const stack = this.stackOf(view.userId);
    const at = stack.indexOf(view);
    if (at < 0) return [];
    const closed = stack.slice(at).reverse();
    if (at === 0) this.#stacks.delete(view.userId);
    else this.#stacks.set(view.userId, stack.slice(0, at));
    for (const one of closed) this.#tell(one, 'closed');
    return closed;
  }

  /** Closes a person's whole modal. */
  clear(userId: string): OpenView[] {
    const [root] = this.stackOf(userId);
    return root ? this.close(root) : [];
  }

  /** Sets the errors below fields and of the whole view. */
  complain(view: OpenView, errors: Record<string, string>, notice?: string): void {
    const said = Object.keys(view.errors).length + Object.keys(errors).length > 0;
    const changed = said || view.notice !== notice;
    view.errors = errors;
    view.notice = notice;
    if (changed) this.#tell(view, 'errors');
  }

  find(viewId: string): OpenView | undefined {
    return this.#all().find(({ id }) => id === viewId);
  }

  stackOf(userId: string): readonly OpenView[] {
    return this.#stacks.get(userId) ?? [];
  }

  /** The modals that are open, by the id of their first view. */
  get modals(): string[] {
    return [...this.#stacks.values()].flatMap(([root]) => root?.id ?? []);
  }

  homeOf(userId: string, appId: string): OpenView | undefined {
    return this.#homes.find((home) => home.userId === userId && home.app.id === appId);
  }

  /** Resets, with the stored Homes. */
  reset(homes: readonly OpenView[]): void {
    this.#stacks.clear();
    this.#homes.splice(0, this.#homes.length, ...homes);
  }

  #all(): OpenView[] {
    return [...[...this.#stacks.values()].flat(), ...this.#homes];
  }

  /** An external id is one view's alone for as long as that view is there. */
  #mustBeFree(externalId: string | undefined, except?: OpenView): void {
    if (externalId === undefined || externalId === '') return;
    if (this.#all().some((view) => view !== except && view.definition.external_id === externalId))
      throw new ViewRefused('duplicate_external_id');
  }

  /** Seconds and eight letters or digits, as in recorded payloads: `1678974682.bugIg1OL`. */
  #newHash(): string {
    return `${Math.floor(this.#clock.now().getTime() / 1000)}.${this.#ids.secret().slice(0, 8)}`;
  }

  #tell(view: OpenView, change: 'opened' | 'pushed' | 'updated' | 'closed' | 'published' | 'errors'): void {
    this.#journal.record('view', { user: view.userId, view: view.id, type: view.definition.type, change });
  }
}

function mustMatch(view: OpenView, hash: string | undefined): void {
  if (hash !== undefined && hash !== view.hash) throw new ViewRefused('hash_conflict');
}

/** Why Slack would not open, push, update or publish a view: the `error` of the method. */
export class ViewRefused extends Error {
  override readonly name = 'ViewRefused';
  readonly code: string;
  /** `response_metadata.messages`. */
  readonly messages: readonly string[];

  constructor(code: string, messages: readonly string[] = []) {
    super([code, ...messages].join(': '));
    this.code = code;
    this.messages = messages;
  }
}

/** Stores published Homes, so that they survive the process. */
export class Homes {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  save({ app, userId, id, hash, definition }: OpenView): void {
    const row = { app_id: app.id, user_id: userId, view_id: id, hash, definition };
    this.#db.upsert('home_view', ['app_id', 'user_id'], row);
  }

  /** Every Home of an app and a person that are still here. */
  load(directory: Directory): OpenView[] {
    const rows = this.#db.query<Tables['home_view']>('select * from home_view').all();
    return rows.flatMap((row) => {
      const app = directory.apps.get(row.app_id);
      if (!app || !directory.people.has(row.user_id)) return [];
      const home: OpenView = {
        id: row.view_id,
        app,
        userId: row.user_id,
        rootId: row.view_id,
        previousId: null,
        conversation: undefined,
        definition: row.definition,
        hash: row.hash,
        values: statesOf(row.definition.blocks),
        errors: {},
        notice: undefined,
        submitting: false,
      };
      return [home];
    });
  }
}

/** What a person did, which lets the app open something before them. */
export interface Occasion {
  appId: string;
  userId: string;
  /** The view it was done in. */
  viewId?: string | undefined;
  /** The conversation that was open then. */
  channelId?: string | undefined;
}

interface Trigger extends Occasion {
  at: number;
  used: boolean;
}

/** How many triggers (used and expired ones too), drafts and offered menus are remembered, the newest of each. */
const REMEMBERED = 1_000;

/**
 * The trigger ids of interactions: good once, for three seconds
 * (docs.slack.dev/interactivity/handling-user-interaction, "Modal responses").
 */
export class Triggers {
  readonly #clock: Clock;
  readonly #ids: IdMaker;
  readonly #lifeMs: number;
  /** Oldest first. */
  readonly #known = new Map<string, Trigger>();

  constructor(parts: { clock: Clock; ids: IdMaker; patienceMs: number | undefined }) {
    this.#clock = parts.clock;
    this.#ids = parts.ids;
    this.#lifeMs = parts.patienceMs ?? LIMITS.triggerMs;
  }

  issue(occasion: Occasion): string {
    const id = this.#ids.triggerId();
    this.#known.set(id, { ...occasion, at: this.#clock.now().getTime(), used: false });
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= REMEMBERED) break;
      this.#known.delete(oldest);
    }
    return id;
  }

  /** Uses a trigger up; refuses with `invalid_trigger_id`, `expired_trigger_id` or `exchanged_trigger_id`. */
  exchange(id: string, appId: string): Occasion {
    const trigger = this.#known.get(id);
    if (trigger?.appId !== appId) throw new ViewRefused('invalid_trigger_id');
    if (trigger.used) throw new ViewRefused('exchanged_trigger_id');
    if (this.#clock.now().getTime() - trigger.at >= this.#lifeMs) throw new ViewRefused('expired_trigger_id');
    trigger.used = true;
    return trigger;
  }
}

/**
 * What Slack's client of a person remembers while it runs: what they put into elements of messages, and what the
 * menus of external selects offered them last.
 */
export class Drafts {
  readonly #states = new Map<string, StateValues>();
  readonly #offers = new Map<string, JsonObject[]>();

  /** `state.values` of a message for one person. */
  of(userId: string, message: StoredMessage): StateValues {
    const key = `${userId} ${message.channel_id} ${message.ts}`;
    const values = statesOf(message.content.blocks ?? [], this.#states.get(key));
    keep(this.#states, key, values);
    return values;
  }

  /** What an external select offered last; `surface`: the view's id, or the message's channel and ts. */
  offered(userId: string, surface: string, element: JsonObject): JsonObject[] {
    return this.#offers.get(offerKey(userId, surface, element)) ?? [];
  }

  offer(userId: string, surface: string, element: JsonObject, options: JsonObject[]): void {
    keep(this.#offers, offerKey(userId, surface, element), options);
  }

  clear(): void {
    this.#states.clear();
    this.#offers.clear();
  }
}

function offerKey(userId: string, surface: string, element: JsonObject): string {
  return JSON.stringify([userId, surface, element['action_id']]);
}

/** The newest stay. */
function keep<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= REMEMBERED) break;
    map.delete(oldest);
  }
}
