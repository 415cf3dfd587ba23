import { z } from 'zod';

import { storable } from '../workspace/storable.ts';

/**
 * Arguments come as form fields (all text, objects as JSON text) or as JSON; both read the same
 * (docs.slack.dev/apis/web-api, "Basic features").
 */
export const text = z.preprocess(
  (value) => (typeof value === 'number' || typeof value === 'boolean' ? String(value) : value),
  z.string({ error: 'must provide a string' }),
);

export const required = text.refine((value) => value !== '', 'missing required field');

export const flag = z.preprocess(
  (value) => {
    if (value === 'true' || value === '1' || value === 1) return true;
    if (value === 'false' || value === '0' || value === 0 || value === '') return false;
    return value;
  },
  z.boolean({ error: 'must provide a boolean' }),
);

export const whole = z.preprocess(
  (value) => (typeof value === 'string' && value !== '' ? Number(value) : value),
  z.int({ error: 'must provide an integer' }),
);

/** A list of ids: `U1,U2` or an array. */
export const list = z.preprocess(
  (value) =>
    typeof value === 'string'
      ? value
          .split(',')
          .map((part) => part.trim())
          .filter(Boolean)
      : value,
  z.array(z.string()),
);

/** A value that a form sends as JSON text. What is no JSON stays text, for the schema to refuse. */
export function json<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => {
    if (typeof value !== 'string') return value;
    try {
      return storable(JSON.parse(value));
    } catch {
      return value;
    }
  }, schema);
}

export const jsonObject = z.record(z.string(), z.json());
