/** Returns a human reference (IT-42). */
export function codeOf(prefix: string, number: number): string {
  return `${prefix}-${number}`;
}
