import type { PersonRole } from '../../../src/contract/index.ts';
import { type Answered, type Running, startTestService } from '../harness.ts';
import { type SignedIn, signIn } from '../signed-in.ts';
import { openTables } from '../world.ts';

export interface Person extends SignedIn {
  workspaceId: string;
  send: (method: string, path: string, body?: unknown) => Promise<Answered>;
}

/** A service, and a function that signs new people in to it. */
export async function withPeople(settings?: Parameters<typeof startTestService>[0]) {
  const running: Running = await startTestService(settings);
  const { db } = openTables(running);
  const person = async (role: PersonRole, queueIds?: string[]): Promise<Person> => {
    const signedIn = await signIn(db, running.workspaceId, { role, ...(queueIds && { queueIds }) });
    return {
      ...signedIn,
      workspaceId: running.workspaceId,
      send: (method, path, body) => running.call(method, path, { token: signedIn.token, body }),
    };
  };
  return { ...running, db, person };
}

/** The texts of a field of a list's records. */
export function fieldOf({ body }: Answered, field: string): unknown[] {
  return (body.items as unknown as Record<string, unknown>[]).map((record) => record[field]);
}
