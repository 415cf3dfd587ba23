import type { Option } from '../kit/types.ts';
import { store } from './store.ts';
import type { Channel, Person } from './types.ts';

/** A person or an app, as one is chosen from a list. */
export const personOption = ({ id, name, real_name, is_bot }: Person): Option => ({
  id,
  text: real_name || name,
  detail: is_bot ? 'app' : `@${name}`,
});

/** A channel or direct message, as one is chosen from a list. */
export const channelOption = (channel: Channel): Option => ({
  id: channel.id,
  text: store.titleOf(channel),
});
