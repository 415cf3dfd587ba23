import { applicationList, applicationListQuery } from '../application.ts';
import { idParams } from '../fields.ts';
import { route } from '../route.ts';
import {
  workflowApps,
  workflowStepDetail,
  workflowStepParams,
  workflowStepQuery,
} from '../workflow-config.ts';
import {
  workflow,
  workflowCreate,
  workflowDuplicate,
  workflowList,
  workflowListQuery,
  workflowUpdate,
} from '../workflow.ts';

/**
 * Applications that users can request, and workflows with their possible actions: stored and configured, not executed.
 */
export const workflowRoutes = {
  listApplications: route({
    method: 'GET',
    path: '/applications',
    role: 'read',
    person: 'agent',
    ext: false,
    summary: 'List applications',
    query: applicationListQuery,
    answer: applicationList,
  }),
  listWorkflows: route({
    method: 'GET',
    path: '/workflows',
    role: 'read',
    person: 'agent',
    ext: true,
    summary: 'List workflows',
    query: workflowListQuery,
    answer: workflowList,
  }),
  readWorkflow: route({
    method: 'GET',
    path: '/workflows/{id}',
    role: 'read',
    person: 'agent',
    ext: true,
    summary: 'Read a workflow',
    params: idParams,
    answer: workflow,
    errors: ['NOT_FOUND'],
  }),
  createWorkflow: route({
    method: 'POST',
    path: '/workflows',
    role: 'admin',
    person: 'admin',
    ext: true,
    summary: 'Create a workflow, as a draft; it is stored, not executed',
    body: workflowCreate,
    answer: workflow,
    errors: ['UNPROCESSABLE_CONTENT'],
  }),
  updateWorkflow: route({
    method: 'PUT',
    path: '/workflows/{id}',
    role: 'admin',
    person: 'admin',
    ext: false,
    summary: 'Change a workflow',
    params: idParams,
    body: workflowUpdate,
    answer: workflow,
    errors: ['NOT_FOUND', 'CONFLICT', 'UNPROCESSABLE_CONTENT'],
  }),
  duplicateWorkflow: route({
    method: 'POST',
    path: '/workflows/duplicate',
    role: 'admin',
    person: 'admin',
    ext: false,
    summary: 'Copy a workflow with new ids, as a draft',
    body: workflowDuplicate,
    answer: workflow,
    errors: ['NOT_FOUND'],
  }),
  listWorkflowApps: route({
    method: 'GET',
    path: '/workflow-config/apps',
    role: 'read',
    person: 'agent',
    ext: false,
    summary: 'List the possible steps of workflows; workflows are stored, not executed',
    answer: workflowApps,
  }),
  readWorkflowStep: route({
    method: 'GET',
    path: '/workflow-config/{workflowId}/steps/{stepId}',
    role: 'read',
    person: 'agent',
    ext: false,
    summary: 'Read one step of a workflow, with fitting outputs of earlier steps where asked for',
    params: workflowStepParams,
    query: workflowStepQuery,
    answer: workflowStepDetail,
    errors: ['NOT_FOUND'],
  }),
};
