import { call, path, Refusal } from './api.js';
import { attempt, change, say, state } from './state.js';

/** The state of a section of the settings; `{}` before it was loaded. */
export const kept = (section) => state.settings[section] ?? {};

export function keep(section, part) {
  change({ settings: { ...state.settings, [section]: { ...kept(section), ...part } } });
}

/** Replaces a record of the section by its new version. */
export function keepItem(section, record) {
  keep(section, { items: kept(section).items.map((item) => (item.id === record.id ? record : item)) });
}

const isMissing = (error) => error instanceof Refusal && (error.status === 404 || error.status === 405);

/**
 * A list, or the reason why it is not shown: the service may lack the operation, or the key the permission.
 */
export async function listOr(what, read) {
  try {
    return { items: (await read()).items, why: undefined };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return {
      items: [],
      why: isMissing(error) ? `This service does not show its ${what} here.` : error.message,
    };
  }
}

/**
 * Runs an operation that some services lack, such as to `make queues`. If this one lacks it, the section
 * remembers that (`lacks`) and no longer offers it.
 */
export async function ifAble(section, what, work) {
  try {
    return await work();
  } catch (error) {
    if (!isMissing(error)) throw error;
    keep(section, { lacks: { ...kept(section).lacks, [what]: true } });
    throw new Refusal(
      error.status,
      `This service does not let the desk ${what}. Do it where the service runs.`,
    );
  }
}

/**
 * Writes part of a record of a section and shows the result; `after(record)` runs on success. Resolves to
 * whether it succeeded.
 */
export function writeItem(section, id, place, part, after) {
  return attempt(place, async () => {
    const record = await call('PUT', path(section, id), part);
    keepItem(section, record);
    // A service ignores settings that it does not know.
    const isTaken = Object.entries(part.settings ?? {}).every(
      ([key, value]) => typeof value === 'object' || record.settings?.[key] === value,
    );
    if (!isTaken)
      throw new Refusal(200, 'The service did not change this. Change it where the service runs.');
    say('Saved.');
    await after?.(record);
  });
}
