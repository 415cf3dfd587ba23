import { z } from 'zod';

import {
  BYTE_ROUTES,
  CREATED_HEADER,
  TICKET_HEADERS,
  ERROR_STATUS,
  type ErrorCode,
  errorEnvelope,
  file,
  type Route,
  type RouteName,
  routes,
  WEBHOOK_HEADERS,
  webhookEvent,
} from '../../contract/index.ts';
import { TOKEN_HEADER, TOKEN_PARAMETER } from '../keys/token.ts';

/** A JSON Schema (2020-12, as OpenAPI 3.1 has it), with the parts that are read here. */
export interface Json {
  properties?: Record<string, Json>;
  required?: string[];
  [keyword: string]: unknown;
}

/** A part of the document that is not a schema. */
type Part = Record<string, unknown>;

export interface Operation extends Part {
  operationId: string;
  parameters: { name: string; in: string; required: boolean; allowEmptyValue?: true; schema: Json }[];
  responses: Record<string, Part>;
}

export interface OpenApi {
  openapi: string;
  info: Part;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json> } & Record<string, Part>;
  [part: string]: unknown;
}

const DESCRIPTION = `Help desk and request management, organised into workspaces. Bodies are JSON; success is 200 with the
record itself. In a query, \`null\` and the empty text mean absence. Every request carries an API key, or the session of a signed-in person. Lists answer
\`{ items, totalCount, nextCursor }\`. Every error has one body: branch on \`code\`, show \`message\`. Operations marked
\`x-ext\` go beyond the published interface.`;

const HEADERS = {
  RequestId: {
    description: 'The x-request-id of the request, or a new one; it names the request in the log.',
    schema: { type: 'string' },
  },
  RateLimit: {
    description: 'What is left of this minute, as `"default";r=999;t=1`.',
    schema: { type: 'string' },
  },
  Created: {
    description:
      '`true` if this call made the record, `false` if it found one that was stored before. Beyond the published interface.',
    schema: { type: 'string', enum: ['true', 'false'] },
  },
  TicketRequester: {
    description: 'The requester of the ticket, empty if it has none. Beyond the published interface.',
    schema: { type: 'string' },
  },
  TicketStatusGroup: {
    description:
      'The status group of the ticket after this call, URI-encoded. Beyond the published interface.',
    schema: { type: 'string' },
  },
  RetryAfter: { description: 'Whole seconds to wait.', schema: { type: 'integer' } },
};

/** The people who may call a route. */
const PEOPLE = { requester: 'any signed-in person', agent: 'an agent or admin', admin: 'an admin' };

const SECURITY_SCHEMES = {
  header: { type: 'apiKey', in: 'header', name: TOKEN_HEADER },
  query: {
    type: 'apiKey',
    in: 'query',
    name: TOKEN_PARAMETER,
    description: 'Where no header can be set. Discouraged, because addresses are logged; the header wins.',
  },
};

/** Returns the API as an OpenAPI 3.1 document (https://spec.openapis.org/oas/v3.1.0), built from the route table. */
export function openApiDocument(version: string): OpenApi {
  const schemas = new Schemas();
  const rows = Object.entries(routes) as [RouteName, Route][];
  const paths: OpenApi['paths'] = {};
  for (const [name, route] of rows)
    (paths[route.path] ??= {})[route.method.toLowerCase()] = operationOf(name, route, schemas);
  for (const [name, route] of Object.entries(BYTE_ROUTES) as [string, Route][])
    (paths[route.path] ??= {})[route.method.toLowerCase()] = bytesOf(name, route, schemas);
  const webhooks = { event: { post: eventOf(schemas) } };
  const responses = errorResponses(schemas);
  return {
    openapi: '3.1.0',
    info: {
      title: 'deskbridge',
      version,
      description: DESCRIPTION,
      contact: { name: 'The operator of this service' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    // Relative to the URL of this document: behind any proxy, the page calls the server that served it.
    servers: [{ url: '/api' }],
    security: Object.keys(SECURITY_SCHEMES).map((name) => ({ [name]: [] })),
    tags: [...new Set(rows.map(([, route]) => tagOf(route)))].map((name) => ({
      name,
      description: `Operations below \`/${name}\`.`,
    })),
    paths,
    webhooks,
    components: {
      schemas: schemas.components,
      responses,
      headers: HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

/**
 * Converts schemas of the API to JSON Schema. Named records (`.meta({ id })`) become components and are referenced. A
 * record whose input and output differ would be two components with one name; that is an error, because a reader could
 * not tell them apart.
 */
class Schemas {
  readonly components: Record<string, Json> = {};

  add(schema: z.ZodType, io: 'input' | 'output'): Json {
    const text = JSON.stringify(
      z.toJSONSchema(schema, { io, unrepresentable: 'any' }),
      (key, value: unknown) =>
        // Linters require a schema there; `maxItems` already says that a tuple has no more.
        key === 'items' && value === false ? {} : value,
    ).replaceAll('"#/$defs/', '"#/components/schemas/');
    const { $schema: _, $defs = {}, ...own } = JSON.parse(text) as Json & { $defs?: Record<string, Json> };
    for (const [name, { id: _id, ...made }] of Object.entries($defs)) {
      const known = this.components[name];
      if (known && JSON.stringify(known) !== JSON.stringify(made))
        throw new TypeError(`two different schemas of the contract are named "${name}"`);
      this.components[name] = made;
    }
    return own;
  }
}

function operationOf(name: string, route: Route, schemas: Schemas): Operation {
  return {
    operationId: name,
    summary: route.summary,
    description: `Needs a key of the role \`${route.role}\`${route.role === 'admin' ? '' : ' or above'}${
      route.person === null ? '' : `, or the session of ${PEOPLE[route.person]}`
    }.${route.ext ? ' Beyond the published interface: another implementation may lack it.' : ''}`,
    tags: [tagOf(route)],
    ...(route.ext && { 'x-ext': true }),
    parameters: [
      ...parametersOf(route.params, 'path', schemas),
      ...parametersOf(route.query, 'query', schemas),
    ],
    ...(route.body && {
      requestBody: { required: true, content: jsonOf(schemas.add(route.body, 'input')) },
    }),
    responses: { '200': answerOf(route, schemas), ...errorsOf(route) },
  };
}

/** Returns an operation that carries bytes: an upload is a form with files, a download has any type. */
function bytesOf(name: string, route: Route, schemas: Schemas): Operation {
  const operation = operationOf(name, route, schemas);
  const bytes = { type: 'string', format: 'binary' };
  if (route.method === 'POST') {
    const form =
      route.answer === file
        ? { type: 'object', required: ['file'], properties: { file: bytes } }
        : { type: 'object', minProperties: 1, additionalProperties: bytes };
    return {
      ...operation,
      requestBody: { required: true, content: { 'multipart/form-data': { schema: form } } },
    };
  }
  const done = { description: 'The bytes.', content: { '*/*': { schema: bytes } } };
  return { ...operation, responses: { ...operation.responses, '200': done } };
}

/** Returns the first segment of the path: operations on the same record are grouped. */
function tagOf({ path }: Route): string {
  return path.split('/')[1] ?? '';
}

const jsonOf = (schema: Json) => ({ 'application/json': { schema } });

function parametersOf(schema: z.ZodType | undefined, place: 'path' | 'query', schemas: Schemas) {
  const { properties = {}, required = [] } = schema ? schemas.add(schema, 'input') : {};
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    // Empty text in a query counts as absent.
    ...(place === 'query' && !required.includes(name) && { allowEmptyValue: true as const }),
    schema: property,
  }));
}

function answerOf(route: Route, schemas: Schemas): Part {
  const full = schemas.add(route.answer, 'output');
  return {
    description: route.thin ? 'Done. The second schema is that of responseType=thin.' : 'Done.',
    headers: {
      'x-request-id': { $ref: '#/components/headers/RequestId' },
      ratelimit: { $ref: '#/components/headers/RateLimit' },
      ...(route.saysCreated && { [CREATED_HEADER]: { $ref: '#/components/headers/Created' } }),
      ...(route.saysTicket && {
        [TICKET_HEADERS.requester]: { $ref: '#/components/headers/TicketRequester' },
        [TICKET_HEADERS.statusGroup]: { $ref: '#/components/headers/TicketStatusGroup' },
      }),
    },
    content: jsonOf(route.thin ? { oneOf: [full, schemas.add(route.thin, 'output')] } : full),
  };
}

/** Returns the errors of an operation: those of every one, of its body and its role, and its own. */
function errorsOf(route: Route): Record<string, Part> {
  const codes: ErrorCode[] = [
    ...([
      'BAD_REQUEST',
      'UNAUTHORIZED',
      'TOO_MANY_REQUESTS',
      'INTERNAL_SERVER_ERROR',
      'SERVICE_UNAVAILABLE',
    ] as const),
    // The lowest roles may read; a valid key or session can lack permission only for more than that.
    ...(route.role === 'read' && route.person === 'requester' ? [] : (['FORBIDDEN'] as const)),
    ...(route.body ? (['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const) : []),
    ...(route.errors ?? []),
  ];
  return Object.fromEntries(
    codes.map((code) => [String(ERROR_STATUS[code]), { $ref: `#/components/responses/${code}` }]),
  );
}

/** Returns the responses that operations refer to; an unknown method belongs to no operation. */
function errorResponses(schemas: Schemas): Part {
  const content = jsonOf(schemas.add(errorEnvelope, 'output'));
  const codes = Object.entries(ERROR_STATUS).filter(([code]) => code !== 'METHOD_NOT_ALLOWED');
  return Object.fromEntries(
    codes.map(([code, status]) => [
      code,
      {
        description: code,
        ...(status === 429 && { headers: { 'retry-after': { $ref: '#/components/headers/RetryAfter' } } }),
        content,
      },
    ]),
  );
}

/** Returns the event that a webhook gets (docs/api.md, Webhooks). */
function eventOf(schemas: Schemas): Part {
  return {
    operationId: 'receiveEvent',
    summary: 'One POST per event, to the URL of a webhook; Standard Webhooks 1.0',
    // Signed; carries no key.
    security: [],
    parameters: Object.values(WEBHOOK_HEADERS).map((name) => ({
      name,
      in: 'header',
      required: name !== WEBHOOK_HEADERS.signature,
      schema: { type: 'string' },
    })),
    requestBody: { required: true, content: jsonOf(schemas.add(webhookEvent, 'output')) },
    responses: { '200': { description: 'Any 2xx is success; anything else is tried again.' } },
  };
}
