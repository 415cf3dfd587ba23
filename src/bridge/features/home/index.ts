// A user's Home in the app: what waits for them, and their requests. Once opened, it is updated with every change.

import type { Feature } from '../../feature.ts';
import { homePost, homesOf, planHome } from './store.ts';

export { homesOf, planHome } from './store.ts';

export const home: Feature = {
  posts: [homePost],
  hooks: (bridge) => ({
    ticketChanged: async ({ ticketId, ticket }) => {
      const homes = await homesOf(bridge, ticketId, ticket);
      if (homes.length === 0) return undefined;
      return async (tx) => {
        for (const one of homes) await planHome(tx, bridge, one);
      };
    },
  }),
};
