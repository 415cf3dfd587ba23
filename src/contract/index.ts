/**
 * WHAT TRAVELS between the service and whoever calls it: the only things that service, client and bridge share.
 *
 * Glossary
 *   workspace       the company or department that everything else belongs to
 *   queue           a team's inbox of tickets; its prefix and a number make a reference (IT-42)
 *   ticket          one request of one person (the requester), worked on by an agent (the assignee)
 *   ticket message  one turn of a ticket's conversation; private ones are notes among agents
 *   status          where a ticket stands; belongs to a status group (Open, In Progress, Waiting, Done, Closed)
 *   chat thread     a thread in chat that a ticket lives in or is mirrored to
 *   chat message    a copy of a ticket message in chat
 *   chat channel    a chat channel linked to a queue ("triage channel" in the specification)
 *   chat user       an account in chat of a user
 *   request type    what a request is about: defaults, and custom fields that a form asks for; collections hold them
 *   form            what a request type asks in a window, as a list of parts that chat and the desk draw alike
 *   agent           an automated responder with a personality and knowledge bases (a person who answers is a user)
 *   workflow        steps of actions that the workflow configuration offers; stored, not executed
 *   event           what a write did, told to webhooks; a delivery is one event on its way to one webhook
 *   key             what a caller proves itself with; its role is read, agent or admin
 *   route           one operation: method, path, role, schemas; the table of them is the interface
 *   thin            a ticket with its relations reduced to ids
 *   Ext             an operation beyond the specification, which another implementation may lack
 */
export * from './agent.ts';
export * from './analytics.ts';
export * from './api-key.ts';
export * from './application.ts';
export * from './audit-entry.ts';
export * from './chat-channel.ts';
export * from './custom-field.ts';
export * from './enums.ts';
export * from './errors.ts';
export * from './events.ts';
export * from './form/asked.ts';
export * from './form/fit.ts';
export * from './form/input.ts';
export * from './form/parts.ts';
export * from './form/shape.ts';
export * from './ids.ts';
export * from './knowledge-base.ts';
export * from './limits.ts';
export * from './personality.ts';
export * from './queue.ts';
export * from './request-type.ts';
export * from './retry-after.ts';
export { CREATED_HEADER, type Method, type Route } from './route.ts';
export * from './routes.ts';
export * from './search.ts';
export * from './status.ts';
export * from './tag.ts';
export * from './ticket.ts';
export * from './ticket-message.ts';
export * from './ticket-requests.ts';
export * from './tolerant.ts';
export * from './user.ts';
export * from './webhook.ts';
export * from './workflow.ts';
export * from './workflow-config.ts';
export * from './workspace.ts';
export { isList } from './lists.ts';
