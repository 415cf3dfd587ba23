import { api } from './api.ts';
import { attemptWithApp } from './attempt.ts';
import { givenOf } from './blocks/state.ts';
import type { Placed, Surface } from './blocks/surface.ts';
import { store } from './store.ts';
import { suggestFor } from './suggest-options.ts';
import type { BlockElement, Message, Option, Value } from './types.ts';
import { bringFiles } from './upload.ts';

/** Choices in messages that the app has not drawn yet, by message and element; lost with the page. */
const chosen = new Map<string, Value>();
const labels = new Map<string, Option[]>();

/** Blocks of a message: a choice is sent to the app at once. */
export function messageSurface(message: Message): Surface {
  const keyOf = (block: Placed, element: BlockElement) =>
    [store.me, message.channel, message.ts, block.block_id, element.action_id].join(' ');
  const place = { user: store.me, channel: message.channel, messageTs: message.ts };
  return {
    kind: 'message',
    id: `m-${message.ts}`,
    given: (block, element) => {
      const key = keyOf(block, element);
      return chosen.has(key) ? chosen.get(key) : givenOf(element, undefined);
    },
    put: (block, element, value) => chosen.set(keyOf(block, element), value),
    act: (block, element, value) =>
      attemptWithApp(
        api.interact({
          ...place,
          action: {
            actionId: element.action_id,
            ...(block.block_id === undefined ? {} : { blockId: block.block_id }),
            ...(value === undefined ? {} : { value }),
          },
        }),
      ),
    suggest: (block, element, typed) => suggestFor(place, block, element, typed),
    options: (block, element) =>
      labels.get(keyOf(block, element)) ??
      element.initial_options ??
      (element.initial_option ? [element.initial_option] : []),
    keepOptions: (block, element, options) => labels.set(keyOf(block, element), options),
    upload: bringFiles,
  };
}
