/**
 * The fields of a request type that are asked where these values are given, in order: as `askedOf` of the contract has
 * it, which a browser cannot load. A test holds the two together.
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

/** Where fields hang on each other, nothing would ever be asked. */
function isInCircle(field, over) {
  const above = new Set();
  for (let at = over(field); at && !above.has(at); at = over(at)) above.add(at);
  return above.has(field);
}
