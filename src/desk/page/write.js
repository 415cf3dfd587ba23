import { api, Refusal } from './api.js';
import { loadList, loadTicket } from './load.js';
import { begin, listsOf, withPending } from './pending.js';
import { attempt, change, say, state } from './state.js';

/** These writes add or remove one item, so they overwrite nothing. */
const OPPOSITE = { addTags: 'removeTags', removeTags: 'addTags' };
/** Others may have acted on these, or the reference of the ticket changes: they cannot be undone. */
const FINAL = ['approvedAt', 'declinedAt', 'queueId'];

/** The ticket's values of the fields in `data`. */
function valuesOf(record, data) {
  const fields = Object.keys(data).filter((key) => !(key in OPPOSITE));
  return Object.fromEntries(fields.map((key) => [key, valueOf(record, key, data[key])]));
}

function valueOf(record, key, wanted) {
  // The order of approvers has no meaning.
  if (key === 'approverIds') return record.approvers.map(({ id }) => id).sort();
  if (key === 'customFields')
    return Object.fromEntries(Object.keys(wanted).map((each) => [each, record.customFields?.[each] ?? null]));
  return record[key] ?? null;
}

const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);

let line = Promise.resolve();
/** The record that the last write left. */
let written;

const hasLists = (data) => JSON.stringify(listsOf(data)) !== JSON.stringify(listsOf({}));

/**
 * Runs one write after the other. Each reads the ticket first: it must have the `expected` values or, unless
 * it has lists, those of the last write from here, so that newer changes are never overwritten unseen.
 * Resolves to the records before and after; undefined if it failed.
 */
function put({ field, id, data, reason, expected, refused }) {
  const end = begin(id, data);
  const done = line.then(async () => {
    let records;
    const isDone = await attempt(`fact ${field}`, async () => {
      const before = await api.ticket(id);
      const isWhole = written?.id === id && !hasLists(data);
      const known = [expected, ...(isWhole ? [valuesOf(written, data)] : [])];
      if (!known.some((values) => isSame(valuesOf(before, data), values))) throw new Refusal(409, refused);
      written = await api.updateTicket(id, data, reason);
      records = { before, after: written };
    }).finally(end);
    await Promise.all([loadTicket(), isDone && loadList()]);
    return records;
  });
  line = done.catch(() => undefined);
  return done;
}

/**
 * Writes fields of the open ticket if they still have the shown values; an error is shown at `field`.
 * Resolves to whether it succeeded. Offers to undo the change if possible.
 */
export async function write(field, data, reason) {
  const { record } = state.ticket;
  const { id } = record;
  const expected = valuesOf(record, data);
  const refused = 'Another user changed this. The current value is shown; choose again if needed.';
  const writing = put({ field, id, data, reason, expected, refused });
  change({ ticket: { ...state.ticket, record: withPending(record) }, undo: undefined });
  const records = await writing;
  if (!records) return false;
  say('Saved.');
  if (!FINAL.some((key) => key in data)) {
    const steps = Object.keys(data).filter((key) => key in OPPOSITE);
    const back = {
      ...valuesOf(records.before, data),
      ...Object.fromEntries(steps.map((key) => [OPPOSITE[key], data[key]])),
    };
    change({ undo: { id, field, back, expected: valuesOf(records.after, back) } });
  }
  return true;
}

/** Undoes the last write unless another user has changed the same fields since. */
export async function undo() {
  if (!state.undo || state.undo.id !== state.ticket.record?.id) return;
  const { id, field, back, expected } = state.undo;
  change({ undo: undefined });
  const refused = 'Another user changed this, so nothing was undone.';
  if (await put({ field, id, data: back, expected, refused })) say('Undone.');
}
