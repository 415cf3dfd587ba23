import { personRole, role as keyRole, type Route } from '../../contract/index.ts';
import type { Caller } from '../handler.ts';
import { ServiceProblem } from '../problem.ts';

/** The people who may call a route. */
const PEOPLE = { requester: 'signed-in people', agent: 'agents and admins', admin: 'admins' };

/** Throws 403 unless the caller has the role that a route needs; each role includes those before it. */
export function requireRole({ role, person }: Pick<Route, 'role' | 'person'>, caller: Caller): void {
  const { session } = caller;
  if (!session) {
    if (!includes(keyRole.options, caller.role, role))
      throw new ServiceProblem('FORBIDDEN', `This key has the role ${caller.role}; ${role} is needed.`);
  } else if (person === null || !includes(personRole.options, session.role, person))
    throw new ServiceProblem(
      'FORBIDDEN',
      `You have the role ${session.role}; only ${person === null ? 'API keys' : PEOPLE[person]} may do this.`,
    );
}

function includes<R>(roles: readonly R[], has: R, needs: R): boolean {
  return roles.indexOf(has) >= roles.indexOf(needs);
}
