// A user's Home in the app: what waits for them, and their requests. Once opened, it is updated with every change.

import type { Feature } from '../../feature.ts';
import { homePost, homesOf, planHomes } from './store.ts';

export { homesOf, planHome } from './store.ts';

export const home: Feature = {
  posts: [homePost],
  hooks: (bridge) => ({
    ticketChanged: async ({ ticketId, ticket }) => {
      const homes = await homesOf(bridge.database.db, bridge, ticketId, ticket);
      return homes.length === 0 ? undefined : (tx) => planHomes(tx, bridge, homes);
    },
    // A Home shows who wrote last.
    messageForwarded: async (tx, ticketId) => {
      await planHomes(tx, bridge, await homesOf(tx, bridge, ticketId, undefined));
    },
  }),
};
