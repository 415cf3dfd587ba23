import { api, Refusal } from './api.js';
import { loadList, loadTicket } from './load.js';
import { begin, listsOf, withPending } from './pending.js';
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

let line = Promise.resolve();
/** The record that the last write left. */
let written;

const hasLists = (data) => JSON.stringify(listsOf(data)) !== JSON.stringify(listsOf({}));

/**
 * One write after the other. The ticket is read before each: it has to have what was `expected`, or what the last write
 * from here left where all of it is replaced, so that nothing newer is overwritten unseen. Resolves to the records
 * before and after; undefined where it was refused.
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
 * Writes fields of the open ticket, where they still are what was shown; a refusal stands at `field`. Resolves to
 * whether it was done. What can be taken back is offered to be.
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

/** Takes the last write back, where nobody has changed the same since. */
export async function undo() {
  if (!state.undo || state.undo.id !== state.ticket.record?.id) return;
  const { id, field, back, expected } = state.undo;
  change({ undo: undefined });
  const refused = 'Another user changed this, so nothing was undone.';
  if (await put({ field, id, data: back, expected, refused })) say('Undone.');
}
