import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';

import { Loading } from '../kit/states.tsx';
import { MyRequests } from './my-requests.tsx';
import { Crashed } from '../shell/not-found.tsx';
import { NotFound } from './not-there.tsx';
import { RequestPage } from './request.tsx';
import { Shell } from './shell.tsx';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound, errorComponent: Crashed });

const list = createRoute({ getParentRoute: () => root, path: '/requests', component: MyRequests });
const newRequest = createRoute({
  getParentRoute: () => root,
  path: '/requests/new',
  component: lazyRouteComponent(() => import('../new-ticket/new-ticket.tsx'), 'NewRequest'),
});
const account = createRoute({
  getParentRoute: () => root,
  path: '/requests/account',
  component: lazyRouteComponent(() => import('../account/account.tsx'), 'Account'),
});
const request = createRoute({
  getParentRoute: () => root,
  path: '/requests/$code',
  component: RequestPage,
});

/** The pages of a person who asks. Their links are plain addresses: the types of the router are those of the desk. */
export const router = createRouter({
  routeTree: root.addChildren([list, newRequest, account, request]),
  defaultPendingComponent: () => <Loading />,
  defaultErrorComponent: Crashed,
  scrollRestoration: true,
});
