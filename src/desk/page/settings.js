import { call, path, Refusal } from './api.js';
import { attempt, change, say, state } from './state.js';

/** What a section of the settings keeps beside what it has; `{}` before it was read. */
export const kept = (section) => state.settings[section] ?? {};

export function keep(section, part) {
  change({ settings: { ...state.settings, [section]: { ...kept(section), ...part } } });
}

/** The record of this id in place of the one that the section has. */
export function keepItem(section, record) {
  keep(section, { items: kept(section).items.map((item) => (item.id === record.id ? record : item)) });
}

const isMissing = (error) => error instanceof Refusal && (error.status === 404 || error.status === 405);

/** The list, or why it is not shown: a service may lack the operation, and a key the right. */
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
 * Does what only some services can, such as to `make queues`. Where this one cannot, the section remembers it
 * (`lacks`), to offer it no more.
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
 * Writes part of a record of a section, and shows what the service has then; `after(record)` follows where it was
 * taken. Resolves to whether it was.
 */
export function writeItem(section, id, place, part, after) {
  return attempt(place, async () => {
    const record = await call('PUT', path(section, id), part);
    keepItem(section, record);
    // A service that knows no such setting passes it over.
    const isTaken = Object.entries(part.settings ?? {}).every(
      ([key, value]) => typeof value === 'object' || record.settings?.[key] === value,
    );
    if (!isTaken)
      throw new Refusal(200, 'The service did not change this. Change it where the service runs.');
    say('Saved.');
    await after?.(record);
  });
}
