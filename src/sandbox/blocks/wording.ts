import { z } from 'zod';

/** How a schema's complaints read in Slack's words, as they are seen in answers of views.open. */
const wording: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'too_big':
      if (issue.origin === 'string') return `must be less than ${Number(issue.maximum) + 1} characters`;
      if (issue.origin === 'array') return `no more than ${String(issue.maximum)} items allowed`;
      return `must be less than ${Number(issue.maximum) + 1}`;
    case 'too_small':
      if (issue.origin === 'string') return `must be more than ${Number(issue.minimum) - 1} characters`;
      if (issue.origin === 'array') return `must provide at least ${String(issue.minimum)} items`;
      return `must be more than ${Number(issue.minimum) - 1}`;
    case 'unrecognized_keys':
      return issue.keys.map((key) => `invalid additional property: ${key}`).join(', ');
    case 'invalid_union':
      return issue.input === undefined ? undefined : `unsupported type: ${typeOf(issue.input)}`;
    default:
      return undefined;
  }
};

/** What does not fit, each with where: `[ERROR] must be less than 25 characters [json-pointer:/view/title/text]`. */
export function complaints(schema: z.ZodType, value: unknown, root: string): string[] {
  const parsed = schema.safeParse(value, { error: wording, reportInput: true });
  if (parsed.success) return [];
  return parsed.error.issues.map((issue) => {
    const path = issue.path.map(String);
    if (issue.code === 'invalid_type' && issue.input === undefined)
      return complaint(`missing required field: ${path.at(-1) ?? ''}`, root, path.slice(0, -1));
    return complaint(issue.message, root, path);
  });
}

export function complaint(message: string, root: string, path: readonly (string | number)[]): string {
  return `[ERROR] ${message} [json-pointer:${[root, ...path].join('/')}]`;
}

function typeOf(input: unknown): string {
  const type = typeof input === 'object' && input !== null && 'type' in input ? input.type : undefined;
  return typeof type === 'string' ? type : 'none';
}
