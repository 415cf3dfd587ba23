/**
 * Reads a number above 0 from the environment and throws if it is not one: a rig with zero rounds or minutes
 * would measure nothing.
 */
export function setting(name: string, otherwise: number): number {
  const given = process.env[name];
  const value = given ? Number(given) : otherwise;
  if (!(value > 0)) throw new Error(`${name} must be a number above 0, and is ${given}`);
  return value;
}
