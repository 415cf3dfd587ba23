import type { z } from 'zod';

import type { Route } from './route.ts';
import { absenceRoutes } from './routes/absences.ts';
import { accessRoutes } from './routes/access.ts';
import { agentRoutes } from './routes/agents.ts';
import { analyticsRoutes } from './routes/analytics.ts';
import { notificationRoutes } from './routes/notifications.ts';
import { fileRoutes } from './routes/files.ts';
import { requestTypeRoutes } from './routes/request-types.ts';
import { savedRoutes } from './routes/saved.ts';
import { scheduledReplyRoutes } from './routes/scheduled-replies.ts';
import { searchRoutes } from './routes/search.ts';
import { ticketActivityRoutes } from './routes/ticket-activity.ts';
import { ticketMessageRoutes } from './routes/ticket-messages.ts';
import { targetReportRoutes } from './routes/target-report.ts';
import { ticketWarningRoutes } from './routes/ticket-warnings.ts';
import { ticketRoutes } from './routes/tickets.ts';
import { webhookRoutes } from './routes/webhooks.ts';
import { chatRequestRoutes } from './routes/chat-requests.ts';
import { workflowRoutes } from './routes/workflows.ts';
import { workspaceRoutes } from './routes/workspaces.ts';

/**
 * Every operation of the API. The service's handlers are a complete record over these names, and the client's methods,
 * authentication, the API reference and most tests are derived from them.
 */
export const routes = {
  ...ticketRoutes,
  ...savedRoutes,
  ...ticketActivityRoutes,
  ...ticketWarningRoutes,
  ...targetReportRoutes,
  ...searchRoutes,
  ...analyticsRoutes,
  ...ticketMessageRoutes,
  ...scheduledReplyRoutes,
  ...notificationRoutes,
  ...fileRoutes,
  ...workspaceRoutes,
  ...absenceRoutes,
  ...accessRoutes,
  ...requestTypeRoutes,
  ...agentRoutes,
  ...workflowRoutes,
  ...chatRequestRoutes,
  ...webhookRoutes,
} as const satisfies Record<string, Route>;

type Routes = typeof routes;
export type RouteName = keyof Routes;

type Part<N extends RouteName, Key extends keyof Route> =
  Routes[N] extends Record<Key, infer S extends z.ZodType> ? S : undefined;
type Input<S> = S extends z.ZodType ? z.input<S> : undefined;
type Output<S> = S extends z.ZodType ? z.output<S> : undefined;

/** The parameters as a caller sends them; undefined if the route takes none. */
export type RouteParams<N extends RouteName> = Input<Part<N, 'params'>>;
export type RouteQuery<N extends RouteName> = Input<Part<N, 'query'>>;
export type RouteBody<N extends RouteName> = Input<Part<N, 'body'>>;

/** The parameters as a handler gets them, after validation. */
export type ParsedParams<N extends RouteName> = Output<Part<N, 'params'>>;
export type ParsedQuery<N extends RouteName> = Output<Part<N, 'query'>>;
export type ParsedBody<N extends RouteName> = Output<Part<N, 'body'>>;

export type RouteAnswer<N extends RouteName> = Output<Part<N, 'answer'>>;
/** The response to `responseType=thin`; undefined if the route has none. */
export type RouteThinAnswer<N extends RouteName> = Output<Part<N, 'thin'>>;
