import { sql } from 'kysely';

import { requireRole } from '../http/roles.ts';
import type { Caller, Reach, ServiceDb } from '../handler.ts';
import { visibleAmong } from '../access/ticket-access.ts';
import { found, ServiceProblem } from '../problem.ts';
import { ticketNamed } from '../tickets/find.ts';
import { type Need, NEEDS } from '../oauth/scopes.ts';
import type { AssistTool } from './tool.ts';

/** Somebody who uses tools, and what the workspace lets them do. */
export interface ToolUser {
  /** In their home workspace, restricted by the switches of its queues. */
  caller: Caller;
  switches: Readonly<Record<Need, boolean>>;
  /** The tools that an AI agent may use; absent for others, who may use all. */
  listed?: readonly string[];
}

/** An AI agent that acts with an API key, and the ticket that it works on. */
export interface ActingAgent {
  id: string;
  /** An id or a reference. */
  ticket: string;
}

/**
 * Returns a caller as a user of tools. Read anew for each call: a switch or a role counts from the next one.
 * @throws 403 and 404 for an AI agent that this caller cannot act as.
 */
export async function toolUser(db: ServiceDb, caller: Caller, agent?: ActingAgent): Promise<ToolUser> {
  const { switches, reach } = await settingsOf(db, caller.workspaceId);
  const own = { ...caller, workspaceIds: [caller.workspaceId], reach };
  return agent ? agentUser(db, { caller: own, switches }, agent) : { caller: own, switches };
}

/** Returns a user who may do no more than this, as a person allowed a program. */
export function restrictUser(user: ToolUser, allowed: Readonly<Record<Need, boolean>>): ToolUser {
  const { read, write, send } = user.switches;
  return {
    ...user,
    switches: { read: read && allowed.read, write: write && allowed.write, send: send && allowed.send },
  };
}

/** Throws 403 unless a user may use a tool now. */
export function requireAllowed({ caller, switches, listed }: ToolUser, { name, needs }: AssistTool): void {
  const off = NEEDS.slice(0, NEEDS.indexOf(needs) + 1).find((need) => !switches[need]);
  if (off)
    throw new ServiceProblem(
      'FORBIDDEN',
      `AI tools may not ${SWITCH[off]} here. An admin can allow it in the workspace (Settings, AI agents, AI tools), and whoever connected this program in it.`,
    );
  if (listed && !listed.includes(name))
    throw new ServiceProblem('FORBIDDEN', `This AI agent may not use ${name}: its record does not list it.`);
  // Such a key or person could only be refused.
  if (needs !== 'read' && !caller.session) requireRole({ role: 'agent', person: null }, caller);
}

/** Returns whether a user may use a tool now. */
export function isAllowed(user: ToolUser, tool: AssistTool): boolean {
  try {
    requireAllowed(user, tool);
    return true;
  } catch (error) {
    if (error instanceof ServiceProblem) return false;
    throw error;
  }
}

const SWITCH: Record<Need, string> = {
  read: 'read',
  write: 'write',
  send: 'send replies to requesters',
};

async function settingsOf(
  db: ServiceDb,
  workspaceId: string,
): Promise<{ switches: Record<Need, boolean>; reach: Reach }> {
  const { rows } = await sql<Record<Need, boolean> & { queues: string[]; private_queues: string[] }>`
    select w.mcp_read as read, w.mcp_write as write, w.mcp_send as send,
      array(select q.id from queue q where q.workspace_id = w.id and ${mayRead}) as queues,
      array(select q.id from queue q where q.workspace_id = w.id and ${mayRead}
        and coalesce((q.settings ->> 'mcpPrivate')::boolean, false)) as private_queues
    from workspace w where w.id = ${workspaceId} and w.deleted_at is null`.execute(db);
  const { read, write, send, queues, private_queues } = found(rows[0]);
  return { switches: { read, write, send }, reach: { queueIds: queues, privateQueueIds: private_queues } };
}

/** SQL for a queue that tools may read, by its settings (queues/records.ts). */
const mayRead = sql`q.deleted_at is null
  and coalesce((q.settings ->> 'mcpMayRead')::boolean, q.visibility <> 'team')`;

/**
 * Returns an AI agent as a user of tools: with a key that may write, in the AI agent's own queues, without private
 * tickets and notes, on a ticket that it sees. It changes that ticket alone.
 */
async function agentUser(
  db: ServiceDb,
  { caller, switches }: ToolUser,
  { id, ticket }: ActingAgent,
): Promise<ToolUser> {
  requireRole({ role: 'agent', person: null }, caller);
  const { workspaceId, reach } = caller;
  const { rows } = await sql<{ tools: string[]; queues: string[] }>`
    select a.tools, array(select x.queue_id from ai_agent_queue x
      where x.workspace_id = a.workspace_id and x.ai_agent_id = a.id) as queues
    from ai_agent a
    where a.workspace_id = ${workspaceId} and a.id = ${id} and a.enabled and a.deleted_at is null`.execute(
    db,
  );
  const { tools, queues } = found(rows[0]);
  const queueIds = queues.filter((queue) => reach?.queueIds.includes(queue));
  const narrowed: Caller = {
    ...caller,
    role: 'agent',
    source: 'AGENT',
    personId: null,
    reach: { queueIds, privateQueueIds: [] },
  };
  const named = found(await ticketNamed(db, narrowed, ticket));
  const [ticketId] = await visibleAmong(db, narrowed, named.workspaceIds, [named.id]);
  return {
    caller: { ...narrowed, agent: { id, ticketId: found(ticketId) } },
    switches,
    listed: tools,
  };
}
