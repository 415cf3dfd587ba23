import type { Block, JsonObject } from '../workspace/content.ts';
import type { IdMaker } from '../workspace/ids.ts';

const INTERACTIVE = /button|select|overflow|picker|checkboxes|input/;

/** Gives blocks and interactive elements the ids that Slack gives where an app sent none, and input blocks their defaults. */
export function withIds(blocks: readonly Block[], ids: IdMaker): Block[] {
  const withActionId = (element: JsonObject): JsonObject =>
    typeof element['type'] === 'string' &&
    INTERACTIVE.test(element['type']) &&
    element['action_id'] === undefined
      ? { action_id: ids.blockId(), ...element }
      : element;
  return blocks.map((block) => {
    const filled: Block = { block_id: ids.blockId(), ...block };
    const { elements, accessory, element } = filled;
    if (filled.type === 'actions' && Array.isArray(elements))
      filled['elements'] = (elements as JsonObject[]).map(withActionId);
    if (filled.type === 'section' && accessory !== undefined)
      filled['accessory'] = withActionId(accessory as JsonObject);
    if (filled.type !== 'input') return filled;
    return {
      optional: false,
      dispatch_action: false,
      ...filled,
      element: withActionId(element as JsonObject),
    };
  });
}
