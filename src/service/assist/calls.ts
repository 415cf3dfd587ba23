import { createHash } from 'node:crypto';

import { actorOf, writeAudit } from '../audit/write.ts';
import type { Caller, ServiceTx } from '../handler.ts';
import type { NewId } from '../../platform/ids.ts';
import { unprocessable } from '../problem.ts';
import { storeChanges } from '../tickets/activity.ts';
import type { AssistTool } from './tool.ts';

type Answer = Record<string, unknown>;

/** A call of a writing tool. */
export interface Call {
  caller: Caller;
  tool: AssistTool;
  /** Parsed. */
  input: Record<string, unknown>;
  now: Date;
}

/** What became of a call. */
export type Outcome = 'done' | 'repeated' | 'refused';

/**
 * Claims the idempotency key of a call until the end of the transaction; another call with it waits.
 * @returns the answer of the call that had it before.
 * @throws 422 if that was another call.
 */
export async function claimCall(tx: ServiceTx, call: Call): Promise<Answer | undefined> {
  const row = rowOf(call);
  const claimed = await tx
    .insertInto('tool_call')
    .values({ ...row, answer: '{}', created_at: call.now })
    .onConflict((earlier) => earlier.doNothing())
    .returning('digest')
    .executeTakeFirst();
  if (claimed) return undefined;
  const { digest, answer } = await tx
    .selectFrom('tool_call')
    .select(['digest', 'answer'])
    .where('workspace_id', '=', row.workspace_id)
    .where('caller', '=', row.caller)
    .where('idempotency_key', '=', row.idempotency_key)
    .executeTakeFirstOrThrow();
  if (digest !== row.digest)
    throw unprocessable(
      'idempotencyKey',
      'This key was used for another call. Use a new one for each action, and repeat one only with the same input',
    );
  return answer;
}

/** Stores the answer of a call, for those that repeat it. */
export async function keepAnswer(tx: ServiceTx, call: Call, answer: Answer): Promise<void> {
  const { workspace_id, caller, idempotency_key } = rowOf(call);
  await tx
    .updateTable('tool_call')
    .set({ answer: JSON.stringify(answer) })
    .where('workspace_id', '=', workspace_id)
    .where('caller', '=', caller)
    .where('idempotency_key', '=', idempotency_key)
    .execute();
}

function rowOf({ caller, tool, input }: Call) {
  const { idempotencyKey, ...rest } = input;
  return {
    workspace_id: caller.workspaceId,
    caller: callerName(caller),
    idempotency_key: String(idempotencyKey),
    digest: createHash('sha256')
      .update(JSON.stringify([tool.name, caller.agent?.ticketId ?? null, rest]))
      .digest('hex'),
  };
}

/** Returns who calls, as one text. */
export function callerName({ session, personId, keyId, agent }: Caller): string {
  if (agent) return `agent ${agent.id}`;
  return session ? `person ${personId ?? ''}` : `key ${keyId ?? ''}`;
}

/** Records a call in the audit log, and that of an AI agent in the activity of its ticket. */
export async function recordCall(
  tx: ServiceTx,
  { newId, now }: { newId: NewId; now: Date },
  {
    caller,
    tool,
    outcome,
    subjectId = caller.agent?.ticketId ?? null,
    code,
  }: {
    caller: Caller;
    tool: AssistTool;
    outcome: Outcome;
    /** The ticket that it was about. */
    subjectId?: string | null | undefined;
    /** Of the error. */
    code?: string;
  },
): Promise<void> {
  const { agent, workspaceId } = caller;
  await writeAudit(
    tx,
    { newId, now },
    {
      workspaceId,
      action: 'tool.called',
      actor: actorOf(caller),
      subjectId,
      reason: REASONS[outcome](tool.title),
      detail: { tool: tool.name, outcome, ...(code && { code }), ...(agent && { agentId: agent.id }) },
    },
  );
  if (!agent) return;
  const place = { ticket: { workspaceId, id: agent.ticketId }, at: now };
  await storeChanges(tx, { tools: { newId }, caller }, place, [
    { kind: 'called', field: tool.name, from: null, to: outcome },
  ]);
}

const REASONS: Record<Outcome, (title: string) => string> = {
  done: (title) => `AI tool: ${title}.`,
  repeated: (title) => `AI tool: ${title}. It had been done before, so nothing was changed.`,
  refused: (title) => `AI tool: ${title}. It was refused.`,
};
