import { z } from 'zod';

import { checkView } from '../blocks/check.ts';
import { elementsOf } from '../blocks/layout.ts';
import { apiView, asText, fieldErrors, type OpenView } from '../views/open-view.ts';
import { ViewRefused } from '../views/views.ts';
import type { Person } from '../workspace/directory.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { fillIn, type GivenValues, inView } from './fill.ts';
import {
  homeOf,
  payloadFrame,
  type Unanswered,
  type ViewClosedPayload,
  type ViewResponseUrl,
  type ViewSubmissionPayload,
} from './payloads.ts';
import { makeResponseUrl } from './response-urls.ts';

/** The client's error over a modal whose app did not respond in time or sent an unusable response. */
const CONNECTION_NOTICE = 'We had some trouble connecting. Try again?';

/** The result of a submission. */
export type Submitted =
  | { result: 'closed' | 'cleared' | 'updated' | 'pushed' }
  /** `client`: found before anything was sent, as Slack's client does for required fields. */
  | { result: 'errors'; by: 'client' | 'app'; errors: Record<string, string> }
  | {
      result: 'failed';
      error: Unanswered;
      /** Why the app's response could not be used. */
      messages: readonly string[];
    };

/** docs.slack.dev/surfaces/modals, "response_action". */
const response = z.discriminatedUnion('response_action', [
  z.object({ response_action: z.literal('clear') }),
  z.object({ response_action: z.literal('errors'), errors: z.record(z.string(), z.string().min(1)) }),
  z.object({ response_action: z.literal('update'), view: z.unknown() }),
  z.object({ response_action: z.literal('push'), view: z.unknown() }),
]);

/**
 * Presses the submit button, `values` being put in before: the client looks the fields through, sends `view_submission`
 * and does what the acknowledgement says (docs.slack.dev/reference/interaction-payloads/view-interactions-payload).
 * Without an answer in three seconds the modal stays and says so.
 */
export async function submitView(
  workspace: Workspace,
  baseUrl: string,
  { person, view, values }: { person: Person; view: OpenView; values: GivenValues },
): Promise<Submitted> {
  const { views, directory, triggers } = workspace;
  const { app, id: viewId, conversation: channelId } = view;
  view.submitting = true;
  try {
    const { blocks, filling } = inView(workspace, view);
    fillIn(filling, blocks, view.values, values);
    const errors = fieldErrors(view);
    views.complain(view, errors);
    if (Object.keys(errors).length > 0) return { result: 'errors', by: 'client', errors };
    const home = homeOf(directory.team, person);
    const payload: ViewSubmissionPayload = {
      type: 'view_submission',
      ...payloadFrame(home, app, person),
      trigger_id: triggers.issue({ appId: app.id, userId: person.id, viewId, channelId }),
      view: apiView(directory.team, view, view.values, home),
      response_urls: responseUrls(workspace, baseUrl, person, view),
    };
    const outcome = await workspace.send(app, 'interactive', payload);
    return 'error' in outcome
      ? failed(workspace, view, outcome.error)
      : follow(workspace, view, outcome.payload);
  } finally {
    view.submitting = false;
  }
}

/** Applies the acknowledgement; without a body the view closes and the one below is shown. */
function follow(workspace: Workspace, view: OpenView, payload: unknown): Submitted {
  const { views } = workspace;
  if (saysNothing(payload)) {
    views.close(view);
    return { result: 'closed' };
  }
  const parsed = response.safeParse(payload);
  if (!parsed.success) return failed(workspace, view, 'invalid_response', [z.prettifyError(parsed.error)]);
  const answer = parsed.data;
  switch (answer.response_action) {
    case 'clear':
      views.clear(view.userId);
      return { result: 'cleared' };
    case 'errors':
      return showErrors(workspace, view, answer.errors);
    case 'update':
    case 'push':
      return changeTo(workspace, view, answer);
  }
}

function changeTo(
  workspace: Workspace,
  view: OpenView,
  answer: { response_action: 'update' | 'push'; view?: unknown },
): Submitted {
  const checked = checkView(answer.view, 'modal');
  if (!checked.ok) return failed(workspace, view, 'invalid_response', checked.messages);
  try {
    if (answer.response_action === 'push') workspace.views.push(view.app, view.id, checked.view);
    else workspace.views.update(workspace.views.named(view.app, { viewId: view.id }), checked.view);
  } catch (error) {
    if (!(error instanceof ViewRefused)) throw error;
    return failed(workspace, view, 'invalid_response', [error.message]);
  }
  return { result: answer.response_action === 'push' ? 'pushed' : 'updated' };
}

/** Errors show below input blocks only; one for anything else cannot be shown. */
function showErrors(workspace: Workspace, view: OpenView, errors: Record<string, string>): Submitted {
  const fields = new Set(
    view.definition.blocks.filter(({ type }) => type === 'input').map((block) => asText(block['block_id'])),
  );
  const astray = Object.keys(errors).filter((blockId) => !fields.has(blockId));
  if (astray.length > 0 || Object.keys(errors).length === 0)
    return failed(workspace, view, 'invalid_response', [
      `errors name no input block of the view: ${astray.join(', ') || 'none is named'}`,
    ]);
  workspace.views.complain(view, errors);
  return { result: 'errors', by: 'app', errors };
}

function failed(
  { views }: Workspace,
  view: OpenView,
  error: Unanswered,
  messages: readonly string[] = [],
): Submitted {
  views.complain(view, {}, CONNECTION_NOTICE);
  return { result: 'failed', error, messages };
}

function saysNothing(payload: unknown): boolean {
  return (
    payload === undefined ||
    payload === null ||
    payload === '' ||
    (typeof payload === 'object' && Object.keys(payload).length === 0)
  );
}

/** One address for each conversation chosen in a field that asks for it (`response_url_enabled`). */
function responseUrls(
  workspace: Workspace,
  baseUrl: string,
  person: Person,
  view: OpenView,
): ViewResponseUrl[] {
  const urls: ViewResponseUrl[] = [];
  for (const block of view.definition.blocks)
    for (const element of elementsOf(block)) {
      if (block.type !== 'input' || element['response_url_enabled'] !== true) continue;
      const [block_id, action_id] = [asText(block['block_id']), asText(element['action_id'])];
      const state = view.values[block_id]?.[action_id];
      const channel_id = asText(state?.['selected_conversation'] ?? state?.['selected_channel']);
      if (channel_id === '') continue;
      const { url } = makeResponseUrl(workspace, baseUrl, { channelId: channel_id, userId: person.id });
      urls.push({ block_id, action_id, channel_id, response_url: url });
    }
  return urls;
}

/**
 * Closes a view, or with `all` (the cross) or `clear_on_close` the whole modal. Views that ask for it are reported by
 * `view_closed` (docs.slack.dev/reference/interaction-payloads/view-interactions-payload); the person does not wait
 * for the app. What was closed, top first.
 */
export async function closeView(
  workspace: Workspace,
  { person, view, all }: { person: Person; view: OpenView; all: boolean },
): Promise<OpenView[]> {
  const { views, directory } = workspace;
  const home = homeOf(directory.team, person);
  const cleared = all || view.definition.clear_on_close === true;
  const closed = cleared ? views.clear(view.userId) : views.close(view);
  const asking = closed.filter(({ definition }) => definition.notify_on_close === true);
  await Promise.all(
    asking.map((one) => {
      const payload: ViewClosedPayload = {
        type: 'view_closed',
        ...payloadFrame(home, one.app, person),
        // Without the values (seen in recorded payloads).
        view: apiView(directory.team, one, {}, home),
        is_cleared: cleared,
      };
      return workspace.send(one.app, 'interactive', payload);
    }),
  );
  return closed;
}
