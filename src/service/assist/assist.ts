import { sql } from 'kysely';

import type { Clock } from '../../platform/clock.ts';
import { transaction } from '../../platform/database/open.ts';
import type { Problem } from '../../platform/http/index.ts';
import { inTime } from '../../platform/in-time.ts';
import type { Log } from '../../platform/log.ts';
import { writeWithEvents } from '../delivery/store.ts';
import type { Handlers, ServiceDb, Tools } from '../handler.ts';
import { toProblem } from '../http/errors.ts';
import { sentenceOf } from '../http/sentence.ts';
import { malformed, notFound, ServiceProblem } from '../problem.ts';
import type { ServiceEngine } from '../work.ts';
import { claimCall, keepAnswer, callerName, recordCall } from './calls.ts';
import { ASSIST_LIMITS } from './limits.ts';
import { readingOperations, writingOperations } from './operations.ts';
import { type AssistTool, isWriting, type ReadingTool, type WritingTool } from './tool.ts';
import { RESOURCE_TOOLS, TOOLS } from './tools/index.ts';
import { isAllowed, requireAllowed, type ToolUser } from './users.ts';

/** What a call of a tool gets. */
export type Answered = { output: Record<string, unknown> } | { problem: Problem };

/** The AI tools: one set, whoever uses them and by whichever way. */
export interface Assist {
  /** Returns the tools that a user may use now. */
  offered(user: ToolUser): AssistTool[];
  /** Runs a tool as a user. Never throws: a model reads what is wrong, and can do better. */
  run(user: ToolUser, name: string, input: unknown): Promise<Answered>;
}

export interface AssistOptions {
  db: ServiceDb;
  engine: ServiceEngine;
  handlers: Handlers;
  tools: Tools;
  clock: Clock;
  log: Log;
  /** Milliseconds after which a call is answered. */
  callMs?: number | undefined;
}

const LATE = new ServiceProblem(
  'SERVICE_UNAVAILABLE',
  'The call took too long. Repeat it with the same input; one that writes also with the same idempotencyKey.',
);
const TOO_MANY = new ServiceProblem(
  'TOO_MANY_REQUESTS',
  `At most ${ASSIST_LIMITS.callsAtOnce} calls run at a time. Wait for one of them, then repeat.`,
);
const TOO_LARGE = new ServiceProblem(
  'UNPROCESSABLE_CONTENT',
  'The answer would be too large. Ask for fewer records.',
);
/** A transaction that is late must not go on long after its caller was answered. */
const STATEMENT_MS = 15_000;

export function createAssist(options: AssistOptions): Assist {
  const { db, engine, handlers, tools, clock, log, callMs = ASSIST_LIMITS.callMs } = options;
  const { newId, publicUrl } = tools;
  const running = new Map<string, number>();

  async function read(user: ToolUser, tool: ReadingTool, input: Record<string, unknown>) {
    const { caller } = user;
    const now = clock.now();
    const operations = readingOperations(db, { caller, now, handlers, newId });
    const output = checked(tool, await tool.answer({ caller, now, read: operations, db, publicUrl }, input));
    // Before it is answered: what cannot be recorded is not read.
    await transaction(db, (tx) =>
      recordCall(tx, { newId, now }, { caller, tool, outcome: 'done', subjectId: subjectOf(output) }),
    );
    return output;
  }

  function write(user: ToolUser, tool: WritingTool, input: Record<string, unknown>) {
    const { caller } = user;
    const now = clock.now();
    const call = { caller, tool, input, now };
    return writeWithEvents(engine, { newId, now, caller }, async (tx, outbox) => {
      await sql`select set_config('statement_timeout', ${String(STATEMENT_MS)}, true)`.execute(tx);
      const earlier = await claimCall(tx, call);
      const outcome = earlier ? 'repeated' : 'done';
      const { idempotencyKey: _, ...rest } = input;
      const operations = writingOperations(tx, { caller, now, handlers, newId, outbox });
      const output =
        earlier ?? checked(tool, await tool.answer({ caller, now, write: operations, publicUrl }, rest));
      if (!earlier) await keepAnswer(tx, call, output);
      await recordCall(tx, { newId, now }, { caller, tool, outcome, subjectId: subjectOf(output) });
      return output;
    });
  }

  async function attempt(user: ToolUser, tool: AssistTool, input: unknown): Promise<Answered> {
    const { caller } = user;
    try {
      requireAllowed(user, tool);
      const given = parsed(tool, input);
      const output = await (isWriting(tool) ? write(user, tool, given) : read(user, tool, given));
      return { output };
    } catch (error) {
      const problem = toProblem(error);
      if (problem.status >= 500) log.error({ err: error, tool: tool.name }, 'a call of a tool failed');
      try {
        const refused = { caller, tool, outcome: 'refused', code: problem.code } as const;
        await transaction(db, (tx) => recordCall(tx, { newId, now: clock.now() }, refused));
      } catch (failure) {
        log.error({ err: failure, tool: tool.name }, 'a refused call of a tool could not be recorded');
      }
      return { problem };
    }
  }

  return {
    offered: (user) => TOOLS.filter((tool) => isAllowed(user, tool)),
    async run(user, name, input) {
      const tool = [...TOOLS, ...RESOURCE_TOOLS].find((each) => each.name === name);
      if (!tool) return { problem: notFound() };
      const who = callerName(user.caller);
      const count = running.get(who) ?? 0;
      if (count >= ASSIST_LIMITS.callsAtOnce) return { problem: TOO_MANY };
      running.set(who, count + 1);
      const work = attempt(user, tool, input).finally(() => {
        const left = (running.get(who) ?? 1) - 1;
        if (left === 0) running.delete(who);
        else running.set(who, left);
      });
      return (await inTime(callMs, work)) ?? { problem: LATE };
    },
  };
}

const MAX_ISSUES = 20;

/** Returns the input of a call, checked; 400 with what is wrong. */
function parsed(tool: AssistTool, input: unknown): Record<string, unknown> {
  const result = tool.input.safeParse(input ?? {}, { error: sentenceOf });
  if (result.success) return result.data;
  throw malformed(
    result.error.issues
      .flatMap((issue) =>
        issue.code === 'unrecognized_keys'
          ? issue.keys.map((key) => ({ path: key, message: unknownArgument(tool) }))
          : [{ path: issue.path.map(String).join('.'), message: issue.message }],
      )
      .slice(0, MAX_ISSUES),
  );
}

/** A misspelt argument that were ignored would answer another question. */
function unknownArgument({ name, input }: AssistTool): string {
  return `${name} has no such argument. It has: ${Object.keys(input.shape).join(', ')}.`;
}

/** Returns what a tool answers, checked against its schema and bounded. */
function checked(tool: AssistTool, answer: unknown): Record<string, unknown> {
  const output = tool.output.parse(answer);
  if (Buffer.byteLength(JSON.stringify(output)) > ASSIST_LIMITS.answerBytes) throw TOO_LARGE;
  return output;
}

/** Returns the ticket that an answer is about. */
function subjectOf(output: Record<string, unknown>): string | undefined {
  const { ticketId, ticket } = output as { ticketId?: unknown; ticket?: { id?: unknown } };
  const id = ticketId ?? ticket?.id;
  return typeof id === 'string' ? id : undefined;
}
