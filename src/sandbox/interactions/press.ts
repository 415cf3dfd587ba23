import { z } from 'zod';

import type { Block, Json, JsonObject, StoredMessage } from '../workspace/content.ts';
import type { App, Channel, Person } from '../workspace/directory.ts';
import { apiMessage } from '../workspace/render.ts';
import { formatTs } from '../workspace/timestamps.ts';
import type { Outcome, Workspace } from '../workspace/workspace.ts';
import { payloadChannelName, payloadFrame } from './payloads.ts';
import { makeResponseUrl } from './response-urls.ts';

/** What a person did to an element: which one, and what they chose in it. */
const element = z.object({
  actionId: z.string(),
  /** Where several blocks have an element of that action id. */
  blockId: z.string().optional(),
  /** The value of the chosen option, user, channel, date…; a button needs none. */
  value: z.string().optional(),
});
/** An action id alone names an element that needs no value. */
export const action = z.union([z.string().transform((actionId) => ({ actionId })), element]);
export type Action = z.output<typeof element>;

/** An action that the message does not offer. */
export class NoSuchElement extends Error {
  override readonly name = 'NoSuchElement';
}

/** `block_actions` of a message's element (docs.slack.dev/reference/interaction-payloads/block_actions-payload). */
export async function pressElement(
  workspace: Workspace,
  app: App,
  baseUrl: string,
  {
    channel,
    person,
    message,
    action,
  }: { channel: Channel; person: Person; message: StoredMessage; action: Action },
): Promise<Outcome> {
  const { directory, ids } = workspace;
  const { block, element } = findElement(message, action);
  const threadTs = message.thread_ts ?? undefined;
  const ephemeral = message.ephemeral_for !== null;
  const taken: JsonObject = {
    action_id: element['action_id'] ?? null,
    block_id: block['block_id'] ?? null,
    ...chosen(element, action),
    type: element['type'] ?? null,
    action_ts: formatTs(workspace.clock.now().getTime() * 1000),
  };
  return workspace.send(app, 'interactive', {
    type: 'block_actions',
    ...payloadFrame(directory.team, app, person),
    container: {
      type: 'message',
      message_ts: message.ts,
      channel_id: channel.id,
      is_ephemeral: ephemeral,
      ...(threadTs === undefined ? {} : { thread_ts: threadTs }),
    },
    trigger_id: ids.triggerId(),
    channel: { id: channel.id, name: payloadChannelName(channel) },
    // Slack does not send what an ephemeral message says.
    ...(ephemeral ? {} : { message: apiMessage(message, { metadata: true }) }),
    state: { values: stateOf(message, block, taken) },
    response_url: (
      await makeResponseUrl(workspace, baseUrl, {
        channelId: channel.id,
        userId: person.id,
        sourceTs: message.ts,
        threadTs,
      })
    ).url,
    actions: [taken],
  });
}

function findElement(message: StoredMessage, wanted: Action): { block: Block; element: JsonObject } {
  for (const block of message.content.blocks ?? []) {
    if (wanted.blockId !== undefined && block['block_id'] !== wanted.blockId) continue;
    const element = elementsOf(block).find((candidate) => candidate['action_id'] === wanted.actionId);
    if (element) return { block, element };
  }
  const offered = (message.content.blocks ?? [])
    .flatMap(elementsOf)
    .map((element) => textOf(element['action_id']));
  throw new NoSuchElement(
    `the message ${message.ts} has no element with the action id "${wanted.actionId}"; it has: ${offered.join(', ') || 'none'}`,
  );
}

function elementsOf(block: Block): JsonObject[] {
  if (block.type === 'actions') return (block['elements'] ?? []) as JsonObject[];
  const accessory = block['accessory'];
  return typeof accessory === 'object' && accessory !== null && !Array.isArray(accessory) ? [accessory] : [];
}

/** What the payload says of the choice, by kind of element. */
function chosen(element: JsonObject, { value }: Action): JsonObject {
  switch (element['type']) {
    case 'static_select':
    case 'external_select':
    case 'overflow':
    case 'radio_buttons': {
      const option = optionsOf(element).find((candidate) => candidate['value'] === value);
      if (!option) throw new NoSuchElement(`the menu offers no option "${value ?? ''}"`);
      return { selected_option: option };
    }
    case 'users_select':
      return { selected_user: value ?? null };
    case 'conversations_select':
      return { selected_conversation: value ?? null };
    case 'channels_select':
      return { selected_channel: value ?? null };
    case 'datepicker':
      return { selected_date: value ?? null };
    default:
      return {
        ...(element['text'] === undefined ? {} : { text: element['text'] }),
        ...(element['value'] === undefined ? {} : { value: element['value'] }),
      };
  }
}

function optionsOf(element: JsonObject): JsonObject[] {
  const groups = (element['option_groups'] ?? []) as JsonObject[];
  return [
    ...((element['options'] ?? []) as JsonObject[]),
    ...groups.flatMap((group) => (group['options'] ?? []) as JsonObject[]),
  ];
}

/** `state.values`: what the stateful elements (not buttons, not overflow menus) of the message hold. */
function stateOf(message: StoredMessage, block: Block, taken: JsonObject): JsonObject {
  const values: JsonObject = {};
  for (const other of message.content.blocks ?? []) {
    const states: JsonObject = {};
    for (const element of elementsOf(other)) {
      const { action_id, type, initial_option } = element;
      if (typeof action_id !== 'string' || type === 'button' || type === 'overflow') continue;
      states[action_id] =
        other === block && action_id === taken['action_id']
          ? Object.fromEntries(
              Object.entries(taken).filter(([key]) => key === 'type' || key.startsWith('selected_')),
            )
          : { type: type ?? null, selected_option: initial_option ?? null };
    }
    if (Object.keys(states).length > 0) values[textOf(other['block_id'])] = states;
  }
  return values;
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
