import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';

import { Late } from '../kit/late.tsx';
import { part } from '../kit/part.ts';
import { Loading } from './kit/states.tsx';
import { readSearch } from './list/search.ts';
import { Workspace } from './list/workspace.tsx';
import { Crashed, NotFound } from './shell/not-found.tsx';
import { Shell } from './shell/shell.tsx';
import { Conversation } from './ticket/conversation.tsx';

const NewTicket = part(() => import('./new-ticket/new-ticket.tsx').then(({ NewTicket }) => NewTicket));

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound, errorComponent: Crashed });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: lazyRouteComponent(() => import('./account/sign-in.tsx'), 'SignIn'),
});

/** All pages of a signed-in person. */
const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Shell });

const home = createRoute({
  getParentRoute: () => shell,
  path: '/',
  beforeLoad: () => redirect({ to: '/views/$view', params: { view: 'open' }, throw: true }),
});

/** The list or the inbox, alone or beside a ticket: its filters are in the address of both. */
const workspace = createRoute({
  getParentRoute: () => shell,
  id: 'workspace',
  component: Workspace,
  validateSearch: readSearch,
});
const inbox = createRoute({ getParentRoute: () => workspace, path: '/inbox', component: () => null });
const view = createRoute({ getParentRoute: () => workspace, path: '/views/$view', component: () => null });
const ticket = createRoute({
  getParentRoute: () => workspace,
  path: '/tickets/$code',
  component: function Ticket() {
    const { code } = ticket.useParams();
    return <Conversation key={code} code={code} />;
  },
});

/** Any other address: the navigation stays. */
const nowhere = createRoute({ getParentRoute: () => shell, path: '$', component: NotFound });

const newTicket = createRoute({
  getParentRoute: () => shell,
  path: '/new',
  // What is typed after `c` is the title: until the form is there, it may not run commands.
  component: () => (
    <Late meanwhile={<Loading />}>
      <NewTicket />
    </Late>
  ),
});
const analytics = createRoute({
  getParentRoute: () => shell,
  path: '/analytics',
  component: lazyRouteComponent(() => import('./analytics/analytics.tsx'), 'Analytics'),
});
const account = createRoute({
  getParentRoute: () => shell,
  path: '/account',
  component: lazyRouteComponent(() => import('./account/account.tsx'), 'Account'),
});
const settings = createRoute({
  getParentRoute: () => shell,
  path: '/settings/{-$section}/{-$item}',
  component: lazyRouteComponent(() => import('./settings/settings.tsx'), 'Settings'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    shell.addChildren([
      home,
      workspace.addChildren([inbox, view, ticket]),
      newTicket,
      analytics,
      account,
      settings,
      nowhere,
    ]),
  ]),
  // Plain parameters, as people type and share them.
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search: Record<string, unknown>) => {
    const given = Object.entries(search).filter(([, value]) => value !== undefined);
    return given.length === 0
      ? ''
      : `?${new URLSearchParams(given.map(([key, value]) => [key, String(value)]))}`;
  },
  defaultPreload: 'intent',
  defaultPendingComponent: () => <Loading />,
  defaultNotFoundComponent: NotFound,
  defaultErrorComponent: Crashed,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
