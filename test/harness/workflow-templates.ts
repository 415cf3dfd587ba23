import type { Client } from '../../src/client/index.ts';
import { contentOf, type WorkflowOutline } from '../../src/service/workflow-config/outline.ts';
import { TEMPLATES } from '../../src/service/workflow-config/templates.ts';

/** The template with this name, with what a person fills in. */
export function filled(name: string, inputs: Readonly<Record<string, object>>): WorkflowOutline {
  const template = TEMPLATES.find((each) => each.name === name);
  if (!template) throw new Error(`no template ${name}`);
  const steps = Object.entries(template.steps).map(
    ([id, [title, action, given]]) => [id, [title, action, { ...given, ...inputs[id] }]] as const,
  );
  return { ...template, steps: Object.fromEntries(steps) };
}

/** Makes a workflow of an outline and activates a copy of it, as people begin with a template; returns the copy's id. */
export async function activateOutline(
  service: Client,
  { name, description, ...outline }: WorkflowOutline,
  queueIds: string[] | null = null,
): Promise<string> {
  const { id: madeId } = await service.createWorkflow({
    body: { name, description, queueIds, ...contentOf(outline) },
  });
  const { id } = await service.duplicateWorkflow({ body: { id: madeId, name, collectionId: null } });
  await service.updateWorkflow({ params: { id: madeId }, body: { name, state: 'Deleted' } });
  await service.updateWorkflow({ params: { id }, body: { name, state: 'Active' } });
  return id;
}
