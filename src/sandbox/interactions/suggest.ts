import { z } from 'zod';

import { option, optionGroup } from '../blocks/composition.ts';
import { complaints } from '../blocks/wording.ts';
import { LIMITS } from '../limits.ts';
import { asText } from '../views/element-state.ts';
import { apiView, type OpenView } from '../views/open-view.ts';
import type { JsonObject, StoredMessage } from '../workspace/content.ts';
import type { App, Channel, Person } from '../workspace/directory.ts';
import { apiMessage } from '../workspace/render.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { findElement } from './elements.ts';
import { NoSuchElement } from './fill.ts';
import { type BlockSuggestionPayload, homeOf, payloadChannelName, payloadFrame } from './payloads.ts';
import { inMessage, inView } from './surface.ts';
import type { Unanswered } from './unanswered.ts';

/** What the menu of an external select offers. */
export type Suggested =
  | { options: JsonObject[] }
  | { option_groups: JsonObject[] }
  /** Too short for `min_query_length`: the app was not asked. */
  | { sent: false; options: [] }
  | { error: Unanswered; messages: readonly string[] };

/** Where somebody types into an external select. */
export type Typing = { person: Person; actionId: string; blockId?: string | undefined; value: string } & (
  { view: OpenView } | { app: App; channel: Channel; message: StoredMessage }
);

const flat = z.object({ options: z.array(option).max(LIMITS.selectOptions) });
const grouped = z.object({ option_groups: z.array(optionGroup).max(LIMITS.selectOptions) });

/**
 * `block_suggestion`: asks the app what a menu offers for what was typed
 * (docs.slack.dev/reference/interaction-payloads/block_suggestion-payload). The options come with the acknowledgement.
 */
export async function suggest(workspace: Workspace, typing: Typing): Promise<Suggested> {
  const { person, value } = typing;
  const { directory } = workspace;
  const surface =
    'view' in typing ? inView(workspace, typing.view) : inMessage(workspace, person, typing.message);
  const { block, element } = findElement(surface.blocks, typing);
  if (element['type'] !== 'external_select' && element['type'] !== 'multi_external_select')
    throw new NoSuchElement(`"${typing.actionId}" is no external select`);
  if (value.length < Number(element['min_query_length'] ?? LIMITS.minQueryLength))
    return { sent: false, options: [] };
  const app = 'view' in typing ? typing.view.app : typing.app;
  const home = 'view' in typing ? homeOf(directory.team, person) : directory.team;
  const asking: BlockSuggestionPayload = {
    type: 'block_suggestion',
    ...payloadFrame(home, app, person),
    container: surface.container,
    action_id: typing.actionId,
    block_id: asText(block['block_id']),
    value,
    ...('view' in typing
      ? { view: apiView(directory.team, typing.view, typing.view.values, home) }
      : whereIn(typing)),
  };
  const outcome = await workspace.send(app, 'interactive', asking);
  if ('error' in outcome) return { error: outcome.error, messages: [] };
  const { payload } = outcome;
  const withGroups = typeof payload === 'object' && payload !== null && 'option_groups' in payload;
  const messages = complaints(withGroups ? grouped : flat, payload, '');
  if (messages.length > 0) return { error: 'invalid_response', messages };
  const offered = payload as { options: JsonObject[] } | { option_groups: JsonObject[] };
  surface.offer(
    element,
    'options' in offered
      ? offered.options
      : offered.option_groups.flatMap((group) => group['options'] as JsonObject[]),
  );
  return 'options' in offered ? { options: offered.options } : { option_groups: offered.option_groups };
}

function whereIn({ channel, message }: { channel: Channel; message: StoredMessage }) {
  return {
    channel: { id: channel.id, name: payloadChannelName(channel) },
    ...(message.ephemeral_for === null ? { message: apiMessage(message, { metadata: true }) } : {}),
  };
}
