import type { z } from 'zod';

import { type Application, type applicationImport, ID_PREFIXES } from '../../contract/index.ts';
import type { NewId } from '../../platform/ids.ts';
import { iso } from '../instants.ts';

export type ApplicationInput = z.output<typeof applicationImport>;
/** The stored columns of an application that is imported again. */
export type StoredApplication = Pick<Application, 'accessLevels' | 'integration'>;

/** Returns the columns of an imported application: fields missing from the file are cleared. */
export function applicationColumns(
  input: ApplicationInput,
  stored: StoredApplication | undefined,
  context: { newId: NewId; now: Date },
) {
  return {
    name: input.name.trim(),
    domain: input.domain ?? null,
    image_url: input.imageUrl ?? null,
    owner_id: input.ownerId ?? null,
    integration_application_id: input.integrationApplicationId ?? null,
    price: input.price ?? null,
    status: input.status ?? ('ACTIVE' as const),
    approval_strategy: input.approvalStrategy ?? null,
    access_levels: JSON.stringify(accessLevelsOf(input, stored, context)),
    approver_ids: distinct(input.approverIds),
    approver_group_ids: distinct(input.approverGroupIds),
    integration: integrationOf(input, stored, context),
    updated_at: context.now,
  };
}

/** An existing access level, identified by its id or else its name, keeps its id and creation time. */
function accessLevelsOf(
  { accessLevels }: ApplicationInput,
  stored: StoredApplication | undefined,
  { newId, now }: { newId: NewId; now: Date },
): Application['accessLevels'] {
  return (accessLevels ?? []).map((level) => {
    const before = stored?.accessLevels.find((known) =>
      level.id ? known.id === level.id : known.name === level.name.trim(),
    );
    return {
      id: level.id ?? before?.id ?? newId(ID_PREFIXES.accessLevel),
      name: level.name.trim(),
      description: level.description ?? null,
      createdAt: before?.createdAt ?? iso(now),
      updatedAt: iso(now),
      integrationGroupIds: distinct(level.integrationGroupIds),
      approverIds: distinct(level.approverIds),
      approverGroupIds: distinct(level.approverGroupIds),
      approvalStrategy: level.approvalStrategy ?? 'All',
    };
  });
}

function integrationOf(
  { integration }: ApplicationInput,
  stored: StoredApplication | undefined,
  { newId }: { newId: NewId },
): string | null {
  if (!integration) return null;
  const record: NonNullable<Application['integration']> = {
    id: integration.id ?? stored?.integration?.id ?? newId(ID_PREFIXES.integration),
    name: integration.name,
    app: integration.app,
    imageURL: integration.imageURL ?? null,
    integrationGroups: (integration.integrationGroups ?? []).map((group) => ({
      ...group,
      metadata: group.metadata ?? {},
    })),
  };
  return JSON.stringify(record);
}

function distinct(ids: readonly string[] | null | undefined): string[] {
  return [...new Set(ids)];
}
