import type { Criteria, Filter } from './criteria.ts';
import type { Content } from './flow.ts';

/** A workflow as this project writes it down: its steps by their ids, and what leads from one to another. */
export interface WorkflowOutline {
  name: string;
  description: string;
  steps: Readonly<
    Record<string, readonly [title: string, action: string, inputs?: Readonly<Record<string, unknown>>]>
  >;
  /** Always, or when something holds. */
  leads: readonly (readonly [from: string, to: string, criteria?: Criteria])[];
}

export const when = (field: string, condition: Filter['condition'], value: string): Criteria => ({
  filterGroups: [[{ field, condition, value }]],
});
export const otherwise: Criteria = { otherwise: true };

/** Returns the steps and connections of an outline. */
export function contentOf({ steps, leads }: Pick<WorkflowOutline, 'steps' | 'leads'>): Content {
  return {
    steps: Object.entries(steps).map(([id, [title, action, inputs = {}]]) => ({
      id,
      title,
      description: null,
      action,
      inputs: { ...inputs },
      metadata: null,
    })),
    connections: leads.map(([sourceId, targetId, criteria = null]) => ({
      id: `${sourceId}-${targetId}`,
      label: null,
      sourceId,
      targetId,
      criteria,
    })),
  };
}
