import { LONGEST_CHAIN } from '../../src/service/workflow-config/kinds.ts';
import { type Trouble, troubleOf } from './promises.ts';
import { TRIGGER } from './workflow-outlines.ts';

/** A run as it is stored. */
export interface Run {
  id: string;
  workflowId: string;
  ticketId: string;
  eventId: string;
  state: string;
  /** The workflows that led to it, and its own at the end. */
  chain: readonly string[];
}

export interface RunStep {
  runId: string;
  stepId: string;
  state: string;
  outputs: Readonly<Record<string, unknown>> | null;
  error: string | null;
}

/** What a step asked chat to write. */
export interface Request {
  runId: string;
  stepId: string;
  state: string;
  content: string;
  messageTs: string | null;
}

/** What is stored of runs and their effects, and what chat shows of them. */
export interface WorkflowRecords {
  runs: readonly Run[];
  steps: readonly RunStep[];
  requests: readonly Request[];
  /** Ids of all messages that workflows wrote, and of the tickets that they opened. */
  messages: readonly string[];
  tickets: readonly string[];
  /** What was decided of tickets, by their ids. */
  decisions: ReadonlyMap<string, string>;
  /** The posts in channels and direct messages that steps asked for. */
  posts: readonly { text: string; ts: string }[];
}

/** A change by people after which a workflow must have started one run. */
export interface Expected {
  workflowId: string;
  /** In words. */
  what: string;
  /** How many of its runs there must be. */
  times: number;
  isOf: (run: Run, trigger: RunStep) => boolean;
}

const once = (what: string) => troubleOf('not once by a workflow', what);

/**
 * What is wrong with the runs of workflows, once no more is done: each change started each workflow once, each step was done
 * once, each run has ended or waits for a person, and no chain is too long.
 */
export function checkWorkflows(records: WorkflowRecords, expected: readonly Expected[]): Trouble[] {
  return [
    ...checkEnds(records),
    ...checkStarts(records, expected),
    ...checkEffects('message', records, 'messageId', records.messages, /^(answer|remark)-/),
    ...checkEffects('ticket', records, 'ticketId', records.tickets, /^child-/),
    ...checkDecisions(records),
    ...checkPosts(records),
  ];
}

const ENDS: readonly string[] = ['finished', 'stopped', 'failed'];
/** How a step fails by which nobody but deskbridge can be to blame. */
const OWN_ERROR = /deskbridge itself failed/;

function checkEnds({ runs, steps, requests }: WorkflowRecords): Trouble[] {
  const endless = (what: string) => troubleOf('workflow without end', what);
  const live = new Set(runs.filter(({ state }) => state !== 'stopped').map(({ id }) => id));
  return [
    ...runs.flatMap(({ id, state, chain }) => [
      ...(ENDS.includes(state) ? [] : [endless(`the run ${id} is ${state}`)]),
      ...(chain.length > LONGEST_CHAIN ? [endless(`${chain.length} runs led to ${id}`)] : []),
    ]),
    ...steps.flatMap(({ runId, stepId, state, error }) => [
      ...(live.has(runId) && ['pending', 'waiting'].includes(state)
        ? [endless(`the step ${stepId} of ${runId} is ${state}`)]
        : []),
      ...(OWN_ERROR.test(error ?? '') ? [endless(`the step ${stepId} of ${runId}: ${error}`)] : []),
    ]),
    ...requests
      .filter(({ state }) => state === 'pending')
      .map(({ content }) => endless(`chat was asked in vain for “${content}”`)),
  ];
}

function checkStarts({ runs, steps }: WorkflowRecords, expected: readonly Expected[]): Trouble[] {
  const triggers = new Map(
    steps.filter(({ stepId }) => stepId === TRIGGER).map((step) => [step.runId, step]),
  );
  const byMessage = Map.groupBy(
    runs.flatMap(({ id, workflowId }) => {
      const messageId = triggers.get(id)?.outputs?.['messageId'];
      return typeof messageId === 'string' ? [`${workflowId} for the message ${messageId}`] : [];
    }),
    (what) => what,
  );
  return [
    ...[...byMessage.values()]
      .filter((same) => same.length > 1)
      .map((same) => once(`${same.length} runs of ${same[0]}`)),
    ...expected.flatMap(({ workflowId, what, times, isOf }) => {
      const found = runs.filter((run) => {
        const trigger = triggers.get(run.id);
        return run.workflowId === workflowId && trigger !== undefined && isOf(run, trigger);
      });
      return found.length === times
        ? []
        : [once(`${found.length} runs of ${workflowId}, not ${times}: ${what}`)];
    }),
  ];
}

/** Each effect is of one step that is done, and each such step has one. */
function checkEffects(
  of: string,
  { steps }: WorkflowRecords,
  output: string,
  there: readonly string[],
  kind: RegExp,
): Trouble[] {
  const done = steps.filter(({ stepId, state }) => kind.test(stepId) && state === 'done');
  const made = done.map(({ outputs }) => String(outputs?.[output]));
  return [
    ...done
      .filter((_step, at) => !there.includes(made[at] ?? ''))
      .map(({ runId, stepId }) => once(`no ${of} of the step ${stepId} of ${runId}`)),
    ...there
      .filter((id) => !made.includes(id))
      .map((id) => once(`no step is done that made the ${of} ${id}`)),
    ...made.filter((id, at) => made.indexOf(id) !== at).map((id) => once(`two steps made the ${of} ${id}`)),
  ];
}

/** A step that asked for approval says what was decided. */
function checkDecisions({ runs, steps, decisions }: WorkflowRecords): Trouble[] {
  const ticketOf = new Map(runs.map(({ id, ticketId }) => [id, ticketId]));
  return steps
    .filter(({ stepId, state }) => stepId.startsWith('approval-') && state === 'done')
    .map(({ runId, stepId, outputs }) => {
      const decided = decisions.get(ticketOf.get(runId) ?? '');
      return { runId, stepId, says: outputs?.['decision'], decided };
    })
    .filter(({ says, decided }) => says !== decided)
    .map(({ runId, stepId, says, decided }) =>
      troubleOf('different', `the step ${stepId} of ${runId} says ${String(says)}, not ${decided}`),
    );
}

/** What a step asked chat for stands there once if chat said so, else not at all. */
function checkPosts({ requests, posts }: WorkflowRecords): Trouble[] {
  const contents = new Set([...requests.map(({ content }) => content), ...posts.map(({ text }) => text)]);
  return [...contents].flatMap((content) => {
    const done = requests.filter((one) => one.content === content && one.state === 'done');
    const told = done.map(({ messageTs }) => messageTs ?? '').toSorted();
    const shown = posts.flatMap(({ text, ts }) => (text === content ? [ts] : [])).toSorted();
    return shown.join() === told.join()
      ? []
      : [once(`“${content}” stands at ${shown.join(', ') || 'no place'}, not at ${told.join(', ')}`)];
  });
}
