/** Writes in progress: `{ id, data }` with the ticket's `id`. */
const pending = new Set();

/** The lists in a write; the next change to such a list starts from the result of this write. */
export function listsOf({ approverIds, customFields = {} }) {
  const fields = Object.entries(customFields).filter(([, value]) => Array.isArray(value));
  return { approverIds, customFields: Object.fromEntries(fields) };
}

/** The ticket with its lists as the writes in progress will leave them. */
export function withPending(record) {
  const lists = [...pending].filter(({ id }) => id === record.id).map(({ data }) => listsOf(data));
  const approverIds = lists.findLast((each) => each.approverIds)?.approverIds;
  return {
    ...record,
    ...(approverIds && { approvers: approverIds.map((id) => ({ id })) }),
    customFields: Object.assign({}, record.customFields, ...lists.map(({ customFields }) => customFields)),
  };
}

/** @returns a function that ends the write. */
export function begin(id, data) {
  const write = { id, data };
  pending.add(write);
  return () => pending.delete(write);
}
