import type { App, Team } from '../workspace/directory.ts';
import type { IdMaker } from '../workspace/ids.ts';
import { withIds } from '../blocks/with-ids.ts';
import { statesOf } from './element-state.ts';
import type { ApiView, PlainText, StateValues, ViewDefinition } from './view.ts';

/** A view that somebody has before them, with what they filled in. */
export interface OpenView {
  readonly id: string;
  readonly app: App;
  readonly userId: string;
  readonly rootId: string;
  readonly previousId: string | null;
  /** The conversation that was open when the modal opened. */
  readonly conversation: string | undefined;
  definition: ViewDefinition;
  hash: string;
  values: StateValues;
  /** What the client shows below fields, by block id. */
  errors: Record<string, string>;
  /** What the client says of the whole view. */
  notice: string | undefined;
  /** The submission waits for the app: the button is off. */
  submitting: boolean;
}

/** Home views have a title that nobody sees (seen in recorded payloads). */
const HOME_TITLE: PlainText = { type: 'plain_text', text: 'View Title', emoji: true };

/** A view with a definition for the first time. */
export function newView(
  ids: IdMaker,
  place: Pick<OpenView, 'app' | 'userId' | 'conversation'> & { under?: OpenView | undefined },
  definition: ViewDefinition,
  hash: string,
): OpenView {
  const id = ids.slackId('V');
  const filled = withIds(definition.blocks, ids);
  return {
    id,
    app: place.app,
    userId: place.userId,
    rootId: place.under?.rootId ?? id,
    previousId: place.under?.id ?? null,
    conversation: place.conversation,
    definition: { ...definition, blocks: filled },
    hash,
    values: statesOf(filled, {}, place.conversation),
    errors: {},
    notice: undefined,
    submitting: false,
  };
}

/** Gives a view another definition; what is filled in stays where its ids stay. */
export function redefine(view: OpenView, ids: IdMaker, definition: ViewDefinition, hash: string): void {
  const filled = withIds(definition.blocks, ids);
  view.definition = { ...definition, blocks: filled };
  view.hash = hash;
  view.values = statesOf(filled, view.values, view.conversation);
  view.errors = {};
  view.notice = undefined;
}

/**
 * A view as payloads have it (docs.slack.dev/reference/interaction-payloads/view-interactions-payload). `home` is the
 * workspace of who has it before them, `team` the one that has installed the app.
 */
export function apiView(
  team: Team,
  view: OpenView,
  values: StateValues = view.values,
  home: Team = team,
): ApiView {
  const { definition } = view;
  return {
    id: view.id,
    team_id: home.id,
    type: definition.type,
    blocks: definition.blocks,
    private_metadata: definition.private_metadata ?? '',
    callback_id: definition.callback_id ?? '',
    state: { values },
    hash: view.hash,
    title: definition.title ?? HOME_TITLE,
    clear_on_close: definition.clear_on_close ?? false,
    notify_on_close: definition.notify_on_close ?? false,
    close: definition.close ?? null,
    submit: definition.submit ?? null,
    previous_view_id: view.previousId,
    root_view_id: view.rootId,
    app_id: view.app.id,
    external_id: definition.external_id ?? '',
    app_installed_team_id: team.id,
    bot_id: view.app.botId,
  };
}
