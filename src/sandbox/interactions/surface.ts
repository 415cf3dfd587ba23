import type { OpenView } from '../views/open-view.ts';
import type { StateValues } from '../views/view.ts';
import type { Block, JsonObject, StoredMessage } from '../workspace/content.ts';
import type { Person } from '../workspace/directory.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Filling } from './fill.ts';

/** Where a person meets elements: a message or a view. */
export interface Surface {
  blocks: readonly Block[];
  /** What is filled in; changed in place. */
  values: StateValues;
  filling: Filling;
  /** `container` of payloads. */
  container: JsonObject;
  /** Remembers what an external select offered. */
  offer: (element: JsonObject, options: JsonObject[]) => void;
}

export function inMessage(workspace: Workspace, { id }: Person, message: StoredMessage): Surface {
  const { drafts } = workspace;
  const place = `${message.channel_id} ${message.ts}`;
  return {
    blocks: message.content.blocks ?? [],
    values: drafts.of(id, message),
    filling: { workspace, userId: id, offered: (element) => drafts.offered(id, place, element) },
    container: {
      type: 'message',
      message_ts: message.ts,
      channel_id: message.channel_id,
      is_ephemeral: message.ephemeral_for !== null,
      ...(message.thread_ts === null ? {} : { thread_ts: message.thread_ts }),
    },
    offer: (element, options) => drafts.offer(id, place, element, options),
  };
}

export function inView(workspace: Workspace, view: OpenView): Surface {
  const { drafts } = workspace;
  const { id, userId } = view;
  return {
    blocks: view.definition.blocks,
    values: view.values,
    filling: { workspace, userId, offered: (element) => drafts.offered(userId, id, element) },
    container: { type: 'view', view_id: id },
    offer: (element, options) => drafts.offer(userId, id, element, options),
  };
}
