import type { Bridge } from '../bridge.ts';
import { mayOpen } from './may-open-rules.ts';
import type { ChannelHome } from './channels.ts';
import { type Person, personOf } from '../people/people.ts';

/** A guest asked where guests may not open tickets (B9). */
export class GuestError extends Error {
  override readonly name = 'GuestError';
}

export const NO_GUESTS =
  'Thank you for writing. Tickets are opened here by members of this workspace only, so none was opened for you; please ask somebody of your team in this workspace to open it.';

/** Throws GuestError if a user may not open tickets of this queue (B9); ServiceError. */
export async function refuseGuest(
  bridge: Bridge,
  asker: Pick<Person, 'is_guest'>,
  home: Pick<ChannelHome, 'queueId'>,
): Promise<void> {
  if (await isRefused(bridge, asker, home)) throw new GuestError();
}

/** Returns whether a user would be rejected in a channel, before they have said what they need. */
export async function isRefusedGuest(
  bridge: Bridge,
  team: string,
  channel: string,
  chatUserId: string,
): Promise<boolean> {
  const home = await bridge.channels.of(channel);
  return home !== undefined && isRefused(bridge, await personOf(bridge, team, chatUserId), home);
}

/** Most users are not guests: then nothing needs to be read. */
async function isRefused(
  { channels }: Bridge,
  asker: Pick<Person, 'is_guest'>,
  home: Pick<ChannelHome, 'queueId'>,
): Promise<boolean> {
  return asker.is_guest && !mayOpen(asker, await channels.queue(home.queueId));
}
