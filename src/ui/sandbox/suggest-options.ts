import { api, type SurfacePlace } from './api.ts';
import type { Placed } from './blocks/surface.ts';
import type { BlockElement, Suggested } from './types.ts';

/**
 * Asks the app for the options of its external select that match the typed text; throws an error with a
 * message for the user.
 */
export async function suggestFor(
  place: SurfacePlace,
  block: Placed,
  element: BlockElement,
  typed: string,
): Promise<Suggested> {
  const answer = await api.suggest({
    ...place,
    actionId: element.action_id,
    ...(block.block_id === undefined ? {} : { blockId: block.block_id }),
    value: typed,
  });
  if (answer.error === 'dispatch_failed') throw new Error('The app is not connected');
  if (answer.error === 'operation_timeout') throw new Error('The app did not answer in time');
  if (answer.error)
    throw new Error(`The app's answer could not be used. ${(answer.messages ?? []).join(' ')}`);
  return answer;
}
