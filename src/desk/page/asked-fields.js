/**
 * The fields of a request type that a form shows for these values, in order. The same as `askedOf` of the
 * contract, which a browser cannot load; a test compares the two.
 */
export function askedFields(form, given) {
  const fields = form.customFields.toSorted((a, b) => a.order - b.order);
  const over = ({ parentId }) => fields.find(({ id }) => id === parentId);
  const isAsked = (field) => {
    const parent = isInCircle(field, over) ? undefined : over(field);
    if (!parent) return true;
    if (!isAsked(parent)) return false;
    const { dependsOnValue } = field;
    const { key, options } = parent.customField;
    const values = [given[key] ?? []].flat().map(String);
    if (dependsOnValue === null) return values.some(Boolean);
    const option = options.find(({ id, value }) => [id, value].includes(dependsOnValue));
    return values.some((value) => [dependsOnValue, option?.id, option?.value].includes(value));
  };
  return fields.filter(isAsked);
}

/** Fields that depend on each other in a cycle would never be shown. */
function isInCircle(field, over) {
  const above = new Set();
  for (let at = over(field); at && !above.has(at); at = over(at)) above.add(at);
  return above.has(field);
}
