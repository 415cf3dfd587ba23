/** The variables of canned replies, written as `{{requester.first_name}}`. */
export const CANNED_REPLY_VARIABLES = [
  'requester.first_name',
  'requester.name',
  'agent.first_name',
  'agent.name',
  'ticket.reference',
  'ticket.title',
  'queue.name',
] as const;
export type CannedReplyVariable = (typeof CANNED_REPLY_VARIABLES)[number];
export type CannedReplyValues = Partial<Record<CannedReplyVariable, string | null>>;

const VARIABLE = /\{\{([^{}]*)\}\}/g;

const isVariable = (name: string): name is CannedReplyVariable =>
  (CANNED_REPLY_VARIABLES as readonly string[]).includes(name);

/** Returns what stands between double braces in a text and is no variable, each once. */
export function unknownVariables(content: string): string[] {
  const names = [...content.matchAll(VARIABLE)].map(([, name = '']) => name.trim());
  return [...new Set(names.filter((name) => !isVariable(name)))];
}

/**
 * Returns a canned reply's text with the values of its variables. A variable without a value becomes empty; an unknown
 * one stays, and so do braces within a value.
 */
export function renderCannedReply(content: string, values: CannedReplyValues): string {
  return content.replaceAll(VARIABLE, (whole, inner: string) => {
    const name = inner.trim();
    return isVariable(name) ? (values[name] ?? '') : whole;
  });
}
