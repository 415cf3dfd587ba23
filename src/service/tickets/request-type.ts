import type { RequestType } from '../../contract/index.ts';
import type { ServiceDb } from '../handler.ts';
import { unprocessable } from '../problem.ts';
import { noSuch } from '../references.ts';
import { requestTypeRecords } from '../request-types/records.ts';

/** Returns the request type (not a collection) with this id; 422 if the workspace has none. */
export async function requireRequestType(
  db: ServiceDb,
  workspaceId: string,
  id: string,
  path: string,
): Promise<RequestType> {
  const [type] = await requestTypeRecords(db, [workspaceId], [id]);
  if (!type) throw noSuch('request_type', id, path);
  if (type.type === 'collection') throw unprocessable(path, 'A collection is no request type');
  return type;
}
