import type { Handlers, Tools } from '../handler.ts';
import { found } from '../problem.ts';
import { userRecords } from '../users/records.ts';
import { eraseUser } from './erase.ts';

export function erasureHandlers({ newId }: Tools): Pick<Handlers, 'eraseUser'> {
  return {
    async eraseUser(call, tx) {
      const { caller, params, now } = call;
      await eraseUser(tx, { newId }, call, params.id);
      return found((await userRecords(tx, caller.workspaceIds, [params.id], now))[0]);
    },
  };
}
