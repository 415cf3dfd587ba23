import type { Source } from '../contract/index.ts';
import type { Caller } from './handler.ts';

/** The service itself as the caller of its own writes; `source` says in which role. */
export function ownCaller(workspaceId: string, source: Extract<Source, 'SYSTEM' | 'AGENT'>): Caller {
  return { keyId: null, role: 'admin', source, workspaceId, workspaceIds: [workspaceId], personId: null };
}
