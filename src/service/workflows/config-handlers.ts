import type { Handlers } from '../handler.ts';
import { found } from '../problem.ts';
import { workflowRecords } from './records.ts';
import { CATALOGUE } from '../workflow-config/catalogue.ts';
import { suggestionsFor } from '../workflow-config/suggestions.ts';

/** Specification, Endpoints, Workflows: possible steps, and one step by itself. */
export const workflowConfigHandlers = {
  listWorkflowApps: async () => [...CATALOGUE],

  async readWorkflowStep({ caller, params, query }, db) {
    const workflow = found((await workflowRecords(db, caller.workspaceIds, [params.workflowId]))[0]);
    const step = found(workflow.steps.find(({ id }) => id === params.stepId));
    return { ...step, suggestions: query.suggestions ? suggestionsFor(workflow, step.id) : [] };
  },
} satisfies Pick<Handlers, 'listWorkflowApps' | 'readWorkflowStep'>;
