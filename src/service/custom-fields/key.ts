const LONGEST = 100;

/** Returns the default key of a field, made from its label: "Cost centre (EU)" is `cost_centre_eu`. */
export function keyFrom(label: string): string {
  const words = label
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  const key = words.join('_').slice(0, LONGEST);
  return /^[a-z]/.test(key) ? key : `field_${key}`.slice(0, LONGEST).replace(/_$/, '');
}
