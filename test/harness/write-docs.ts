import { writeFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';

import { format, resolveConfig } from 'prettier';
import { z } from 'zod';

import * as enums from '../../src/contract/enums.ts';
import {
  ERROR_STATUS,
  errorEnvelope,
  type ErrorCode,
  ID_PREFIXES,
  LIMITS,
  type Route,
  type RouteName,
  routes,
  WEBHOOK_HEADERS,
  webhookEvent,
} from '../../src/contract/index.ts';
import { isList } from '../../src/contract/lists.ts';

/** What `docs/interface.md` is made from: `node test/harness/write-docs.ts` writes it, a test compares it. */
export const INTERFACE_DOC = new URL('../../docs/interface.md', import.meta.url);

/** As much of JSON Schema as `z.toJSONSchema` makes of the contract. */
interface Json {
  $ref?: string;
  type?: string | string[];
  enum?: string[];
  const?: string;
  anyOf?: Json[];
  oneOf?: Json[];
  items?: Json;
  prefixItems?: Json[];
  properties?: Record<string, Json>;
  required?: string[];
  additionalProperties?: Json | boolean;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  format?: string;
  pattern?: string;
}

const GROUPS: [heading: string, start: string][] = [
  ['Tickets', '/tickets'],
  ['Ticket messages', '/ticket-messages'],
  ['Analytics', '/analytics'],
  ['Workspaces', '/workspaces'],
  ['Queues', '/queues'],
  ['Statuses', '/statuses'],
  ['Request types', '/request-types'],
  ['Forms', '/forms'],
  ['Custom fields', '/custom-fields'],
  ['Tags', '/tags'],
  ['Agents', '/agents'],
  ['Personalities', '/personalities'],
  ['Knowledge bases', '/kbs'],
  ['Applications', '/applications'],
  ['Workflows', '/workflows'],
  ['Workflow configuration', '/workflow-config'],
  ['Chat channels', '/chat-channels'],
  ['Users', '/users'],
  ['API keys', '/api-keys'],
  ['Audit', '/audit-entries'],
  ['Webhooks', '/webhooks'],
];

const MEANING: Record<ErrorCode, string> = {
  BAD_REQUEST:
    'not JSON, a wrong type, a required field missing, an unknown enumeration value, a list parameter out of range',
  UNAUTHORIZED: 'no key, or one that is not valid (any more)',
  FORBIDDEN: 'a valid key that may not do this',
  NOT_FOUND: 'no such record, or none that the key can see: the two are answered alike',
  METHOD_NOT_ALLOWED: 'the path exists, this method on it does not',
  CONFLICT: 'the record’s present state says no: a duplicate, a second decision',
  PAYLOAD_TOO_LARGE: 'the body is larger than the limit',
  UNSUPPORTED_MEDIA_TYPE: 'the body is not `application/json`',
  UNPROCESSABLE_CONTENT: 'well-formed, but a rule says no: a reference into another workspace, for example',
  TOO_MANY_REQUESTS: 'the key’s requests of this minute are used up; `Retry-After` says for how long',
  INTERNAL_SERVER_ERROR: 'a fault of ours; the log has the request id',
  SERVICE_UNAVAILABLE: 'the database is away; try again',
};

/** Answered by any operation, and so not named at each. */
const ALWAYS = 'Any operation may also answer 400, 401, 403, 405, 413, 415, 429, 500 and 503.';

/** Parameters that every list takes (src/contract/lists.ts). */
const SHARED = new Set([
  'email',
  'skip',
  'offset',
  'cursor',
  'limit',
  'set',
  'sortBy',
  'sortDirection',
  'groupBy',
  'groupDirection',
  'workspaceId',
  'search',
]);

export async function interfaceDoc(): Promise<string> {
  const text = [
    HEAD,
    '## Operations',
    ALWAYS,
    ...GROUPS.flatMap(([heading, start]) => [`### ${heading}`, ...group(start).flatMap(operation)]),
    '## List parameters',
    LISTS,
    '## Records',
    'Every field is always present: an absent value is `null`, an absent list `[]`.',
    ...records(),
    '## Enumerations',
    ...enumerations(),
    '## Errors',
    errors(),
    '## Webhook events',
    EVENTS,
    ...eventTables(),
    '## Ids',
    IDS,
  ].join('\n\n');
  const config = await resolveConfig(INTERFACE_DOC);
  return format(text, { ...config, parser: 'markdown' });
}

const HEAD = `# The interface

Made from \`src/contract\` by \`node test/harness/write-docs.ts\`; a test fails while this page and the contract differ.

Paths are below \`/api\`. A request carries its key in \`x-service-api-token\`, or in the query as \`apiKey\` where no header
can be set (the header wins), and its body is JSON. **Role** is the least role a key needs: \`read\`, \`agent\`, \`admin\`,
each including the one before. **Ext** marks what is beyond the published interface: another implementation may lack
it, and the bridge then does without ([decisions.md](decisions.md#degradations)). Unknown body fields and query
parameters are passed over.`;

const LISTS = `A list answers \`{ items, totalCount, nextCursor }\`; the ticket list also echoes \`responseType\`.

| Parameter | Meaning |
| --- | --- |
| \`limit\` | ${LIMITS.list.defaultLimit} when absent, 1 to ${LIMITS.list.maxLimit} |
| \`cursor\` | \`nextCursor\` of the page before: nothing twice and nothing left out while others insert |
| \`offset\`, \`skip\` | records to pass over (\`offset\` from ${LIMITS.list.minOffset}, \`skip\` from ${LIMITS.list.minSkip}); one of them, and not with \`cursor\` |
| \`sortBy\`, \`sortDirection\` | a field that the list names, \`asc\` or \`desc\` |
| \`groupBy\`, \`groupDirection\` | orders by this field first |
| \`search\` | part of a name, e-mail, title or label, ignoring case |
| \`email\` | exactly this address |
| \`set\` | ids with commas between: only these, at most ${LIMITS.setIds} |
| \`workspaceId\` | another workspace of the key than its home one |`;

const EVENTS = `A webhook gets one POST per event, with \`${WEBHOOK_HEADERS.id}\`, \`${WEBHOOK_HEADERS.timestamp}\` and, where it has a
secret, \`${WEBHOOK_HEADERS.signature}\` ([decisions.md](decisions.md#events-and-webhooks)). \`data\` is the record after the write; \`changes\`
holds, per changed field, the value before and after.`;

const IDS = `Opaque texts: a prefix, \`_\` and a lower-case ULID. Ids of another implementation may be any text.

| Record | Prefix |
| --- | --- |
${Object.entries(ID_PREFIXES)
  .map(([record, prefix]) => `| ${record} | \`${prefix}_\` |`)
  .join('\n')}`;

function group(start: string): RouteName[] {
  const names = Object.keys(routes) as RouteName[];
  return names.filter((name) => routes[name].path === start || routes[name].path.startsWith(`${start}/`));
}

function operation(name: RouteName): string[] {
  const route: Route = routes[name];
  const lines = [
    `#### ${route.method} ${route.path}`,
    `${route.summary}. Role \`${route.role}\`${route.ext ? ', **Ext**' : ''}.`,
  ];
  if (route.query) lines.push(...query(route.query));
  if (route.body) lines.push(table('Body field', toJson(route.body, 'input')));
  const thin = route.thin ? `; with \`responseType=thin\`, ${answerOf(route.thin)}` : '';
  const codes = (route.errors ?? []).map((code) => `${ERROR_STATUS[code]} \`${code}\``).join(', ');
  lines.push(`Answers ${answerOf(route.answer)}${thin}.${codes ? ` Errors of its own: ${codes}.` : ''}`);
  return lines;
}

function query(schema: z.ZodObject): string[] {
  const json = toJson(schema, 'input');
  const { sortBy, groupBy } = json.properties ?? {};
  const own = Object.fromEntries(
    Object.entries(json.properties ?? {})
      .filter(([key]) => !sortBy || !SHARED.has(key))
      .map(([key, value]) => [key, withoutNull(value).inner]),
  );
  const lines = sortBy
    ? [`The [list parameters](#list-parameters); sorts by ${names(sortBy)}; groups by ${names(groupBy)}.`]
    : [];
  if (Object.keys(own).length > 0) lines.push(table('Query parameter', { properties: own }, false));
  return lines;
}

function names(json: Json | undefined): string {
  return (json ? (withoutNull(json).inner.enum ?? []) : []).map((value) => `\`${value}\``).join(', ');
}

function records(): string[] {
  const { schemas } = z.toJSONSchema(z.globalRegistry, {
    uri: (id) => id,
    unrepresentable: 'any',
  }) as unknown as { schemas: Record<string, Json> };
  return Object.keys(schemas)
    .filter((id) => !EVENT_NAMES.has(id) && id !== 'Error')
    .sort()
    .flatMap((id) => record(id, schemas));
}

/** Records that are another one with some fields more, or otherwise. */
const BASE: Record<string, string> = {
  CreatedApiKey: 'ApiKey',
  ThinTicket: 'Ticket',
  TicketDetail: 'Ticket',
};

function record(id: string, schemas: Record<string, Json>): string[] {
  const base = BASE[id];
  if (base === undefined) return [`### ${id}`, table('Field', schemas[id] ?? {}, false)];
  const known = schemas[base]?.properties ?? {};
  const differing = Object.entries(schemas[id]?.properties ?? {}).filter(
    ([name, value]) => !isDeepStrictEqual(value, known[name]),
  );
  return [
    `### ${id}`,
    `As [${base}](#${base.toLowerCase()}), but:`,
    table('Field', { properties: Object.fromEntries(differing) }, false),
  ];
}

const EVENT_NAMES = new Set(['TicketEvent', 'MessageEvent', 'PingEvent']);

function eventTables(): string[] {
  return webhookEvent.options.flatMap((option) => {
    const json = toJson(option, 'output');
    return [`### ${idOf(option) ?? ''}`, table('Field', json, false)];
  });
}

function enumerations(): string[] {
  // In an order that does not hang on how the module is loaded.
  const named = Object.entries(enums).sort(([a], [b]) => (a < b ? -1 : 1));
  const rows = named.flatMap(([name, value]) =>
    value instanceof z.ZodEnum
      ? [`| ${name} | ${value.options.map((option) => `\`${option}\``).join(', ')} |`]
      : [],
  );
  return [
    ['| Enumeration | Values |', '| --- | --- |', ...rows].join('\n'),
    `System statuses and their groups, in order: ${enums.STATUS_GROUPS.join(', ')}.`,
  ];
}

function errors(): string {
  const rows = (Object.keys(ERROR_STATUS) as ErrorCode[]).map(
    (code) => `| ${ERROR_STATUS[code]} | \`${code}\` | ${MEANING[code]} |`,
  );
  return [
    'One body for every error; branch on `code`, show `message`:',
    table('Field', toJson(errorEnvelope, 'output'), false),
    ['| Status | Code | When |', '| --- | --- | --- |', ...rows].join('\n'),
  ].join('\n\n');
}

function answerOf(schema: z.ZodType): string {
  const id = idOf(schema);
  if (id !== undefined) return linkTo(id);
  if (schema instanceof z.ZodObject && isList(schema)) {
    const { items } = schema.shape;
    return `a list of ${linkTo(items instanceof z.ZodArray ? (idOf(items.element as z.ZodType) ?? '') : '')}`;
  }
  if (schema instanceof z.ZodArray) return `an array of ${linkTo(idOf(schema.element as z.ZodType) ?? '')}`;
  throw new Error('an answer is neither a record with a name nor a list of such');
}

function idOf(schema: z.ZodType): string | undefined {
  return z.globalRegistry.get(schema)?.id;
}

function linkTo(id: string): string {
  return `[${id}](#${id.toLowerCase()})`;
}

function toJson(schema: z.ZodType, io: 'input' | 'output'): Json {
  return z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json;
}

/** A table of an object's fields, those of nested objects as dotted rows. */
function table(head: string, json: Json, showRequired = true): string {
  const rows = fieldsOf(json, '', showRequired).map((cells) => `| ${cells.join(' | ')} |`);
  return [`| ${head} | Type |`, '| --- | --- |', ...rows].join('\n');
}

function fieldsOf(json: Json, prefix: string, showRequired: boolean): [string, string][] {
  const required = new Set(json.required);
  return Object.entries(json.properties ?? {}).flatMap(([key, value]): [string, string][] => {
    const { inner, nullable } = withoutNull(value);
    const name = `${prefix}${key}`;
    const must = showRequired && required.has(key) ? ', **required**' : '';
    const element = inner.items && !inner.items.$ref && !isRef(inner.items) ? inner.items : undefined;
    const nested = inner.properties
      ? fieldsOf(inner, `${name}.`, showRequired)
      : element?.properties
        ? fieldsOf(element, `${name}[].`, showRequired)
        : [];
    const type = typeOf(inner);
    const orNull = nullable ? `${type.includes(', ') ? ',' : ''} or null` : '';
    return [[`\`${name}\``, `${type}${orNull}${must}`], ...nested];
  });
}

function withoutNull(json: Json): { inner: Json; nullable: boolean } {
  if (Array.isArray(json.type))
    return {
      inner: { ...json, type: json.type.find((type) => type !== 'null') ?? 'null' },
      nullable: json.type.includes('null'),
    };
  const options = json.anyOf ?? [];
  const [first, ...others] = options.filter((option) => option.type !== 'null');
  if (!first || others.length > 0 || options.length === 1) return { inner: json, nullable: false };
  return { inner: first, nullable: options.length > 1 };
}

function typeOf(json: Json): string {
  if (json.$ref !== undefined) return linkTo(json.$ref.replace(/^#\/\$defs\//, ''));
  if (json.const !== undefined) return `\`${json.const}\``;
  if (json.enum) return json.enum.map((value) => `\`${value}\``).join(', ');
  if (isRef(json)) return '`{ id }`';
  if (json.items) {
    const most = json.maxItems === undefined ? '' : `, at most ${json.maxItems}`;
    return `array of ${json.items.properties && !isRef(json.items) ? 'objects' : typeOf(json.items)}${most}`;
  }
  if (json.prefixItems) return `[${json.prefixItems.map(typeOf).join(', ')}]`;
  switch (json.type) {
    case 'string':
      return isTime(json) ? 'time' : isId(json) ? 'id' : `string${lengths(json)}`;
    case 'integer':
    case 'number':
      return `${json.type}${bounds(json)}`;
    case 'object':
      return typeof json.additionalProperties === 'object' && !json.properties
        ? `object of any key, values ${valuesOf(withoutNull(json.additionalProperties).inner)}`
        : 'object';
    case undefined:
      return 'any';
    default:
      return String(json.type);
  }
}

function valuesOf(json: Json): string {
  return json.properties ? `\`{ ${Object.keys(json.properties).join(', ')} }\`` : typeOf(json);
}

/** `{ id }`, by which records name each other in arrays. */
function isRef({ properties = {} }: Json): boolean {
  return Object.keys(properties).join() === 'id';
}

/** An id is told by its lengths; a name or a label has no least length. */
function isId({ minLength, maxLength }: Json): boolean {
  return minLength === 1 && maxLength === LIMITS.shortText;
}

function isTime({ format: kind, pattern }: Json): boolean {
  return kind === 'date-time' || (pattern?.includes('T\\d{2}') ?? false);
}

function lengths({ minLength = 0, maxLength }: Json): string {
  if (maxLength === undefined) return minLength > 0 ? `, ${minLength} or more characters` : '';
  return minLength > 0 ? `, ${minLength} to ${maxLength} characters` : `, up to ${maxLength} characters`;
}

function bounds({ minimum, maximum }: Json): string {
  const least = minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER ? minimum : undefined;
  const most = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER ? maximum : undefined;
  if (least !== undefined && most !== undefined) return ` from ${least} to ${most}`;
  if (least !== undefined) return ` from ${least}`;
  return most === undefined ? '' : ` up to ${most}`;
}

if (import.meta.main) await writeFile(INTERFACE_DOC, await interfaceDoc());
