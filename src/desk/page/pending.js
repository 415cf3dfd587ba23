/** Writes on their way: `{ id, data }`, `id` being the ticket's. */
const pending = new Set();

/** The lists of a write: of those the next change is made to what this one leaves. */
export function listsOf({ approverIds, customFields = {} }) {
  const fields = Object.entries(customFields).filter(([, value]) => Array.isArray(value));
  return { approverIds, customFields: Object.fromEntries(fields) };
}

/** A ticket with its lists as they will be. */
export function withPending(record) {
  const lists = [...pending].filter(({ id }) => id === record.id).map(({ data }) => listsOf(data));
  const approverIds = lists.findLast((each) => each.approverIds)?.approverIds;
  return {
    ...record,
    ...(approverIds && { approvers: approverIds.map((id) => ({ id })) }),
    customFields: Object.assign({}, record.customFields, ...lists.map(({ customFields }) => customFields)),
  };
}

/** @returns what ends it. */
export function begin(id, data) {
  const write = { id, data };
  pending.add(write);
  return () => pending.delete(write);
}
