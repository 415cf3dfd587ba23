import { z } from 'zod';

import { type Feature, on } from '../../feature.ts';
import { postKind } from '../../outbox/post-kind.ts';
import { isOnHome, openHome, pressHome } from './press-home.ts';
import { homeCall } from './show-home.ts';
import { homesOf, planHome } from './store.ts';

export { homesOf, planHome } from './store.ts';

/** Everybody's Home in the app: what waits for them, what they asked for. It follows every change once it was opened. */
export const home: Feature = {
  posts: [postKind('home', 'card', z.unknown(), homeCall)],
  handlers: [on('home', openHome), on('action', pressHome, ({ action }) => isOnHome(action))],
  hooks: (bridge) => ({
    ticketChanged: async ({ ticketId, ticket }) => {
      const { requesterId = null, assigneeId = null, approvers = [] } = ticket ?? {};
      const concerned = [requesterId, assigneeId, ...approvers.map(({ id }) => id)];
      const homes = await homesOf(
        bridge,
        ticketId,
        concerned.filter((id) => id !== null),
      );
      return async (tx) => {
        for (const one of homes) await planHome(tx, bridge, one);
      };
    },
  }),
};
