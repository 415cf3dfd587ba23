import { randomBytes } from 'node:crypto';

import type { PersonRole } from '../../src/contract/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { transaction } from '../../src/platform/database/open.ts';
import { createIds } from '../../src/platform/ids.ts';
import type { ServiceDb } from '../../src/service/handler.ts';
import { createSession } from '../../src/service/sessions/create.ts';

export interface SignedIn {
  personId: string;
  id: string;
  token: string;
  expiresAt: Date;
}

const newId = createIds(systemClock);

/** Signs a new person in, as the service does after it knows who it is. */
export async function signIn(
  db: ServiceDb,
  workspaceId: string,
  person: { role: PersonRole; queueIds?: string[] | null; name?: string; now?: Date },
): Promise<SignedIn> {
  const { role, queueIds = null, name = role, now = systemClock.now() } = person;
  const personId = newId('usr');
  const row = {
    workspace_id: workspaceId,
    id: personId,
    first_name: name,
    email: `${personId}@acme.example`,
  };
  await db
    .insertInto('person')
    .values({ ...row, role, queue_ids: queueIds, created_at: now, updated_at: now })
    .execute();
  return { personId, ...(await startSession(db, workspaceId, personId, now)) };
}

/** Starts another session of a person. */
export function startSession(
  db: ServiceDb,
  workspaceId: string,
  personId: string,
  now = systemClock.now(),
): Promise<Omit<SignedIn, 'personId'>> {
  const from = { address: '192.0.2.1', userAgent: 'Test' };
  return transaction(db, (tx) =>
    createSession(tx, { newId, randomBytes }, now, { workspaceId, personId, ...from }),
  );
}
