import { CREATED_HEADER, ERROR_STATUS, type ErrorCode, type Route } from '../../contract/index.ts';
import { exampleOf } from './openapi-examples.ts';
import type { Components, Json } from './openapi-schemas.ts';

/** Error codes of every operation. */
const ALWAYS: readonly ErrorCode[] = [
  'BAD_REQUEST',
  'UNAUTHORIZED',
  'TOO_MANY_REQUESTS',
  'INTERNAL_SERVER_ERROR',
  'SERVICE_UNAVAILABLE',
];
const WITH_BODY: readonly ErrorCode[] = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];

/** A part of the document that is not a schema. */
export type Part = Record<string, unknown>;

interface Parameter {
  name: string;
  in: 'path' | 'query';
  required: boolean;
  /** Of a query: empty text counts as absent. */
  allowEmptyValue?: true;
  schema: Json;
}

export interface Operation extends Part {
  operationId: string;
  parameters: Parameter[];
  responses: Record<string, Part>;
}

/** Returns one operation of the document, from its row of the route table. */
export function operationOf(name: string, route: Route, components: Components): Operation {
  return {
    operationId: name,
    summary: route.summary,
    description: `Needs a key of the role \`${route.role}\`${route.role === 'admin' ? '' : ' or above'}.${
      route.ext ? ' Beyond the published interface: another implementation may lack it.' : ''
    }`,
    tags: [tagOf(route)],
    ...(route.ext && { 'x-ext': true }),
    parameters: [...pathParameters(route, components), ...queryParameters(route, components)],
    ...(route.body && {
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: components.add(route.body, 'input'),
            example: exampleOf(route.body, 'input'),
          },
        },
      },
    }),
    responses: { '200': answerOf(route, components), ...errorsOf(route) },
  };
}

/** Returns the first segment of the path: operations on the same record are grouped. */
export function tagOf({ path }: Route): string {
  return path.split('/')[1] ?? '';
}

function pathParameters({ params }: Route, components: Components): Parameter[] {
  const schema = params && components.add(params, 'input');
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => ({
    name,
    in: 'path',
    required: true,
    schema: property,
  }));
}

function queryParameters({ query }: Route, components: Components): Parameter[] {
  if (!query) return [];
  const { properties = {}, required = [] } = components.add(query, 'input');
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(!required.includes(name) && { allowEmptyValue: true }),
    schema: property,
  }));
}

function answerOf(route: Route, components: Components): Part {
  const full = components.add(route.answer, 'output');
  const example = exampleOf(route.answer, 'output');
  const content = route.thin
    ? {
        schema: { oneOf: [full, components.add(route.thin, 'output')] },
        examples: {
          default: { summary: 'responseType=default', value: example },
          thin: { summary: 'responseType=thin', value: exampleOf(route.thin, 'output') },
        },
      }
    : { schema: full, example };
  return {
    description: 'Done.',
    headers: {
      'x-request-id': { $ref: '#/components/headers/RequestId' },
      ratelimit: { $ref: '#/components/headers/RateLimit' },
      ...(route.saysCreated && { [CREATED_HEADER]: { $ref: '#/components/headers/Created' } }),
    },
    content: { 'application/json': content },
  };
}

function errorsOf(route: Route): Record<string, Part> {
  const codes = new Set<ErrorCode>([
    ...ALWAYS,
    // The lowest role may read; a valid key can lack permission only for more than that.
    ...(route.role === 'read' ? [] : (['FORBIDDEN'] as const)),
    ...(route.body ? WITH_BODY : []),
    ...(route.errors ?? []),
  ]);
  return Object.fromEntries(
    [...codes].map((code) => [String(ERROR_STATUS[code]), { $ref: `#/components/responses/${code}` }]),
  );
}
