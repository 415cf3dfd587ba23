import type { z } from 'zod';

import type { Issue, Route } from '../../contract/index.ts';
import { malformed } from '../problem.ts';
import { readQuery } from '../lists/query.ts';
import { sentenceOf } from './sentence.ts';

/** Maximum number of issues returned: enough to fix a request. */
const MAX_ISSUES = 20;

interface Raw {
  params: unknown;
  query: unknown;
  body: unknown;
}

/**
 * Returns the parts of a request that its route has, validated; 400 with the issues, or undefined for a part that the
 * route does not have.
 */
export function validate(route: Route, raw: Raw): Raw {
  const query = route.query && readQuery(route.query, raw.query as Record<string, unknown>);
  return validateValues(route, { ...raw, query });
}

/** The same for values that were not read from an address. */
export function validateValues(route: Route, { params, query, body }: Raw): Raw {
  return {
    params: route.params && parse(route.params, params),
    query: route.query && parse(route.query, query),
    body: route.body && parse(route.body, requireBody(body)),
  };
}

function parse(schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value, { error: sentenceOf });
  if (result.success) return checkText(result.data);
  throw malformed(result.error.issues.slice(0, MAX_ISSUES).map(toIssue));
}

/** Path and query may contain a NUL as %00, which no text column stores; bodies were already checked. */
function checkText(data: unknown): unknown {
  if (typeof data === 'object' && data !== null)
    for (const [path, value] of Object.entries(data))
      if (typeof value === 'string' && value.includes('\0'))
        throw malformed([{ path, message: 'Texts may not contain the character NUL' }]);
  return data;
}

function requireBody(body: unknown): unknown {
  if (body === undefined || body === null)
    throw malformed([{ path: '', message: 'A JSON body is needed, sent as application/json' }]);
  return body;
}

function toIssue(issue: z.core.$ZodIssue): Issue {
  return { path: issue.path.map(String).join('.'), message: issue.message };
}
