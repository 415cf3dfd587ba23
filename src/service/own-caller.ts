import type { Source } from '../contract/index.ts';
import type { Caller } from './handler.ts';

/** The service itself, where it writes without having been called; `source` says as what. */
export function ownCaller(workspaceId: string, source: Extract<Source, 'SYSTEM' | 'AGENT'>): Caller {
  return { keyId: '', role: 'admin', source, workspaceId, workspaceIds: [workspaceId], personId: null };
}
