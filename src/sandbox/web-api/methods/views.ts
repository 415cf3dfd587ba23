import { z } from 'zod';

import { checkView } from '../../blocks/check.ts';
import { apiView, type OpenView } from '../../views/open-view.ts';
import { ViewRefused } from '../../views/views.ts';
import type { ViewDefinition } from '../../views/view.ts';
import { type Answer, type Call, json, type Method, method, required, SlackError, text } from '../method.ts';

const view = json(z.unknown()).refine((value) => value !== undefined && value !== '', {
  error: 'missing required field: view',
});

/** Modals and Homes (docs.slack.dev/reference/methods/views.open, .push, .update, .publish). */
export const VIEWS: readonly Method[] = [
  method('views.open', { trigger_id: required, view }, (call, args) =>
    answering(call, () => {
      const definition = checked(args.view, 'modal');
      const { views, triggers } = call.workspace;
      return views.open(call.app, triggers.exchange(args.trigger_id, call.app.id), definition);
    }),
  ),

  method('views.push', { trigger_id: required, view }, (call, args) =>
    answering(call, () => {
      const definition = checked(args.view, 'modal');
      const { viewId } = call.workspace.triggers.exchange(args.trigger_id, call.app.id);
      // Only a trigger of an action in the modal lets the app push onto it.
      if (viewId === undefined) throw new ViewRefused('invalid_trigger_id');
      return call.workspace.views.push(call.app, viewId, definition);
    }),
  ),

  method(
    'views.update',
    { view, view_id: text.optional(), external_id: text.optional(), hash: text.optional() },
    (call, args) =>
      answering(call, async () => {
        const viewId = emptyAsAbsent(args.view_id);
        const externalId = emptyAsAbsent(args.external_id);
        if (viewId !== undefined && externalId !== undefined)
          throw invalid('[ERROR] Cannot provide both `view_id` and `external_id`');
        if (viewId === undefined && externalId === undefined)
          throw invalid('[ERROR] must provide either `view_id` or `external_id`');
        const { workspace } = call;
        const open = workspace.views.named(call.app, { viewId, externalId });
        const definition = checked(args.view, open.definition.type);
        workspace.views.update(open, definition, emptyAsAbsent(args.hash));
        if (definition.type === 'home') workspace.homes.save(open);
        return open;
      }),
  ),

  method('views.publish', { user_id: required, view, hash: text.optional() }, (call, args) =>
    answering(call, async () => {
      const { workspace, app } = call;
      const person = workspace.directory.people.get(args.user_id);
      if (!person || person.isBot) throw invalid('invalid `user_id`');
      const definition = checked(args.view, 'home');
      const home = workspace.views.publish(app, person.id, definition, emptyAsAbsent(args.hash));
      workspace.homes.save(home);
      return home;
    }),
  ),
];

/** The answer of all four: the view, without what is filled in (as the method pages show it). */
async function answering({ workspace }: Call, work: () => OpenView | Promise<OpenView>): Promise<Answer> {
  try {
    return { view: apiView(workspace.directory.team, await work(), {}) };
  } catch (error) {
    if (!(error instanceof ViewRefused)) throw error;
    const { messages } = error;
    throw new SlackError(error.code, messages.length > 0 ? { response_metadata: { messages } } : {});
  }
}

function checked(value: unknown, type: 'modal' | 'home'): ViewDefinition {
  const result = checkView(value, type);
  if (result.ok) return result.view;
  throw new ViewRefused(result.error, result.messages);
}

function invalid(message: string): ViewRefused {
  return new ViewRefused('invalid_arguments', [message]);
}

function emptyAsAbsent(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}
