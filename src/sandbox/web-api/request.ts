import type { FastifyRequest } from 'fastify';

import { formParts } from '../form.ts';
import { storable } from '../workspace/storable.ts';

/** A call as it came: its arguments, and what Slack has to say of how they were sent. */
export interface CallRequest {
  args: Record<string, unknown>;
  /** Why nothing of the body can be read (the error tables of all method pages). */
  error?:
    | 'invalid_post_type'
    | 'missing_post_type'
    | 'invalid_charset'
    | 'invalid_json'
    | 'json_not_object'
    | 'invalid_form_data';
  /** `missing_charset`, `superfluous_charset` (docs.slack.dev/apis/web-api, "Warnings"). */
  warnings: string[];
}

const CHARSETS = new Set(['utf-8', 'utf8', 'iso-8859-1']);

/** Reads the arguments of a call from its query and its body: a form, a form in parts, or JSON. */
export async function readCall(request: FastifyRequest): Promise<CallRequest> {
  const query = storable(request.query) as Record<string, unknown>;
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  if (body.length === 0) return { args: query, warnings: [] };
  const [type = '', ...parameters] = (request.headers['content-type'] ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase());
  const charset = parameters.find((part) => part.startsWith('charset='))?.slice('charset='.length);
  const read = await readBody(type, body, charset, request.headers['content-type'] ?? '');
  if ('error' in read) return { args: query, error: read.error, warnings: [] };
  return { args: { ...query, ...read.fields }, warnings: warningsOf(type, charset) };
}

async function readBody(
  type: string,
  body: Buffer,
  charset: string | undefined,
  contentType: string,
): Promise<{ fields: Record<string, unknown> } | { error: NonNullable<CallRequest['error']> }> {
  if (charset !== undefined && !CHARSETS.has(charset.replaceAll('"', '')))
    return { error: 'invalid_charset' };
  switch (type) {
    case '':
      return { error: 'missing_post_type' };
    case 'application/json':
      return readJson(body.toString('utf8'));
    case 'application/x-www-form-urlencoded':
      return { fields: fieldsOf([...new URLSearchParams(body.toString('utf8'))]) };
    case 'multipart/form-data':
      try {
        const parts = await formParts(contentType, body);
        return {
          fields: fieldsOf(parts.flatMap((part) => ('text' in part ? [[part.name, part.text]] : []))),
        };
      } catch {
        return { error: 'invalid_form_data' };
      }
    case 'text/plain':
      return { fields: {} };
    default:
      return { error: 'invalid_post_type' };
  }
}

function readJson(
  text: string,
): { fields: Record<string, unknown> } | { error: NonNullable<CallRequest['error']> } {
  let value: unknown;
  try {
    value = storable(JSON.parse(text));
  } catch {
    // Not JSON, or nested too deeply to be read.
    return { error: 'invalid_json' };
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? { fields: value as Record<string, unknown> } : { error: 'json_not_object' };
}

function fieldsOf(entries: (readonly [string, string] | string[])[]): Record<string, unknown> {
  return storable(Object.fromEntries(entries) as unknown) as Record<string, unknown>;
}

function warningsOf(type: string, charset: string | undefined): string[] {
  if (type === 'application/json' && charset === undefined) return ['missing_charset'];
  if (type === 'application/x-www-form-urlencoded' && charset !== undefined) return ['superfluous_charset'];
  return [];
}
