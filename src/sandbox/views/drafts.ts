import type { JsonObject, StoredMessage } from '../workspace/content.ts';
import { statesOf } from './element-state.ts';
import type { StateValues } from './view.ts';

/** Messages whose fields somebody has touched, and menus that were filled for somebody, that are remembered. */
const REMEMBERED = 1_000;

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
