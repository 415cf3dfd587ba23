import { api, Refusal } from './api.js';
import { loadList, loadTicket } from './load.js';
import { attempt, change, say, state } from './state.js';

/** Written one step at a time: they overwrite nothing of anybody. */
const OPPOSITE = { addTags: 'removeTags', removeTags: 'addTags' };
/** What others have seen and acted on by then, or what gives the ticket another reference. */
const FINAL = ['approvedAt', 'declinedAt', 'queueId'];

/** What the ticket has of the fields that `data` names. */
function valuesOf(record, data) {
  const fields = Object.keys(data).filter((key) => !(key in OPPOSITE));
  return Object.fromEntries(fields.map((key) => [key, valueOf(record, key, data[key])]));
}

function valueOf(record, key, wanted) {
  // Who comes first means nothing.
  if (key === 'approverIds') return record.approvers.map(({ id }) => id).sort();
  if (key === 'customFields')
    return Object.fromEntries(Object.keys(wanted).map((each) => [each, record.customFields?.[each] ?? null]));
  return record[key] ?? null;
}

const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** Lists are shown as they will be: of two quick changes the second is made to what the first one left. */
function showLists(record, { approverIds, customFields }) {
  if (approverIds) record.approvers = approverIds.map((id) => ({ id }));
  for (const [key, value] of Object.entries(customFields ?? {}))
    if (Array.isArray(value)) record.customFields = { ...record.customFields, [key]: value };
  change();
}

let line = Promise.resolve();

/** One write after the other; the ticket is read before each, so that nothing newer is overwritten unseen. */
function put({ field, id, data, reason, expected, refused }) {
  const done = line.then(async () => {
    let after;
    const isDone = await attempt(`fact ${field}`, async () => {
      if (!isSame(valuesOf(await api.ticket(id), data), expected)) throw new Refusal(409, refused);
      after = await api.updateTicket(id, data, reason);
    });
    await Promise.all([loadTicket(), isDone && loadList()]);
    return isDone ? after : undefined;
  });
  line = done.catch(() => undefined);
  return done;
}

/**
 * Writes fields of the open ticket, where they still are what was shown; a refusal stands at `field`. Resolves to
 * whether it was done. What can be taken back is offered to be.
 */
export async function write(field, data, reason) {
  const { record } = state.ticket;
  const { id } = record;
  const expected = valuesOf(record, data);
  showLists(record, data);
  change({ undo: undefined });
  const refused = 'Somebody changed this meanwhile; what is there now is shown. Yours was not saved.';
  const after = await put({ field, id, data, reason, expected, refused });
  if (!after) return false;
  say('Saved.');
  if (!FINAL.some((key) => key in data)) {
    const steps = Object.keys(data).filter((key) => key in OPPOSITE);
    const back = { ...expected, ...Object.fromEntries(steps.map((key) => [OPPOSITE[key], data[key]])) };
    change({ undo: { id, field, back, expected: valuesOf(after, back) } });
  }
  return true;
}

/** Takes the last write back, where nobody has changed the same since. */
export async function undo() {
  if (!state.undo || state.undo.id !== state.ticket.record?.id) return;
  const { id, field, back, expected } = state.undo;
  change({ undo: undefined });
  const refused = 'Somebody changed this meanwhile, so nothing was undone.';
  if (await put({ field, id, data: back, expected, refused })) say('Undone.');
}
