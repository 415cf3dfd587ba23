// First, so that an older Node gets a clear message before anything else fails.
import './needed-node.ts';

export { workspaceIdsOf } from './workspace-ids.ts';
export { type Answer, type Client, createClient, type TicketState } from './client.ts';
export {
  AnsweredError,
  answeredError,
  ProxyError,
  ServiceError,
  UnreachableError,
  UnreadableError,
} from './errors.ts';
export { createFileClient, type FileClient, type FileClientOptions, type NewFile } from './files.ts';
export { type Connections, openConnections } from './transport.ts';
export { neverSent } from './never-sent.ts';
