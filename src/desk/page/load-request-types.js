import { call, path, Refusal } from './api.js';
import { PLACE } from './request-type.js';
import { keep, listOr } from './settings.js';

const isMissing = (error) => error instanceof Refusal && [404, 405].includes(error.status);
const all = (name) => call('GET', `${path(name)}?limit=1000`);

/** Returns an empty list if the service lacks the operation. */
const orNone = (read) =>
  read.catch((error) => {
    if (isMissing(error)) return { items: [] };
    throw error;
  });

/** Loads request types with their collections, and the custom fields of their questions. */
export async function loadRequestTypes() {
  let isWhole = true;
  const read = await listOr('request types', async () => {
    const [forms, fields, listed] = await Promise.all([
      orNone(all('forms')),
      orNone(all('custom-fields')),
      all('request-types').catch((error) => {
        if (!isMissing(error)) throw error;
        // The specification only has the list of published forms.
        isWhole = false;
        return undefined;
      }),
    ]);
    keep(PLACE, { forms: forms.items, fields: fields.items });
    return listed ?? forms;
  });
  keep(PLACE, { ...read, isWhole });
}
