import { Refusal } from '../../api/call.ts';
import type { ItemOf } from '../../api/types.ts';

type Steps = ItemOf<'listWorkflows'>['steps'];

/** A problem of a workflow as the service found it. */
interface Problem {
  path: string;
  message: string;
}

/** Says which step a problem is about. */
export function problemText(steps: Steps, { path, message }: Problem): string {
  const [, place] = /^steps\.(\d+)/.exec(path) ?? [];
  const step = place === undefined ? undefined : steps[Number(place)];
  return step ? `${step.title}: ${message}` : message;
}

/** Does something that the service may refuse because of a workflow's steps; then the refusal names them. */
export async function namingSteps<T>(steps: Steps, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refusal) || !Array.isArray(error.problem['issues'])) throw error;
    const issues = error.problem['issues'] as Problem[];
    throw new Refusal(error.status, issues.map((issue) => problemText(steps, issue)).join('. '));
  }
}
