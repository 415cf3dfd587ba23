/**
 * The API between the service and its clients: the only code that service, client and bridge share.
 *
 * Glossary
 *   workspace       the company or department that owns everything else
 *   queue           a team's inbox of tickets; its prefix and a number make a reference (IT-42)
 *   ticket          a requester's request, worked on by an agent (the assignee)
 *   ticket message  a message in a ticket's conversation; private ones are internal notes
 *   view            a saved list of tickets, of one person or shared with the team
 *   canned reply    a saved text for replies, with variables
 *   status          the state of a ticket; belongs to a status group (Open, In Progress, Waiting, Done, Closed)
 *   scheduled reply a reply that is sent later, and is no message until then
 *   chat thread     a thread in chat in which a ticket was opened, or to which it is mirrored
 *   chat message    a copy of a ticket message in chat
 *   chat channel    a chat channel linked to a queue ("triage channel" in the specification)
 *   chat user       a user's account in chat
 *   request type    the kind of a request: defaults, and custom fields that its form asks for; collections group them
 *   form            a request type's questions, as a list of parts that both chat and the desk draw
 *   AI agent        an automated responder with a personality and knowledge bases (the specification's `agent`)
 *   workflow        steps of actions that the workflow configuration offers; a run of it does them on one ticket
 *   file            bytes that were uploaded to a ticket; attached to it or to one of its messages
 *   reply draft     an unsent reply on a ticket that its whole team sees; a draft is a person's own
 *   event           a change, as sent to webhooks; a delivery is one event on its way to one webhook
 *   key             what a program authenticates with; its role is read, agent or admin
 *   session         what a signed-in person authenticates with; the person's role is requester, agent or admin
 *   notification    an entry of a person's inbox: what concerns them on a ticket
 *   route           one operation: method, path, role, schemas; the API is the table of all routes
 *   thin            a ticket with its relations reduced to ids
 *   Ext             an operation beyond the specification, which another implementation may lack
 */
export * from './absence.ts';
export * from './agent.ts';
export * from './analytics.ts';
export * from './api-key.ts';
export * from './application.ts';
export * from './audit-entry.ts';
export * from './business-hours.ts';
export * from './chat-channel.ts';
export * from './chat-request.ts';
export * from './connection.ts';
export * from './custom-field.ts';
export * from './enums.ts';
export * from './errors.ts';
export * from './events.ts';
export * from './expected-reply.ts';
export * from './file.ts';
export * from './form/asked.ts';
export * from './blank.ts';
export * from './cut.ts';
export * from './form/fit.ts';
export * from './form/input.ts';
export * from './form/parts.ts';
export * from './form/shape.ts';
export * from './ids.ts';
export * from './knowledge-base.ts';
export * from './limits.ts';
export * from './notices.ts';
export * from './notification.ts';
export * from './personality.ts';
export * from './queue.ts';
export * from './request-type.ts';
export * from './retry-after.ts';
export { CREATED_HEADER, ORIGIN_HEADER, TICKET_HEADERS, type Method, type Route } from './route.ts';
export * from './routes.ts';
export { BYTE_ROUTES } from './routes/files.ts';
export * from './saved/canned-reply-text.ts';
export * from './saved/canned-reply.ts';
export * from './saved/draft.ts';
export * from './saved/reply-draft.ts';
export * from './saved/view.ts';
export * from './scheduled-reply.ts';
export * from './search.ts';
export * from './chat-team.ts';
export * from './identity.ts';
export * from './session.ts';
export * from './status.ts';
export * from './tag.ts';
export * from './ticket.ts';
export * from './target-report.ts';
export * from './ticket-warning.ts';
export * from './ticket-activity.ts';
export * from './ticket-message.ts';
export * from './ticket-requests.ts';
export * from './tolerant.ts';
export * from './user.ts';
export * from './webhook.ts';
export * from './workflow.ts';
export * from './workflow-config.ts';
export * from './workflow-run.ts';
export * from './workspace.ts';
export { isList, valuesOf } from './lists.ts';
