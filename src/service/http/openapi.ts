import {
  ERROR_STATUS,
  type ErrorCode,
  errorEnvelope,
  type Route,
  type RouteName,
  routes,
  WEBHOOK_HEADERS,
  webhookEvent,
} from '../../contract/index.ts';
import { TOKEN_HEADER, TOKEN_PARAMETER } from './authenticate.ts';
import { exampleOf } from './openapi-examples.ts';
import { type Operation, operationOf, type Part, tagOf } from './openapi-operation.ts';
import { Components, type Json } from './openapi-schemas.ts';

export interface OpenApi {
  openapi: string;
  info: Part;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json> } & Record<string, Part>;
  [part: string]: unknown;
}

const DESCRIPTION = `Help desk and request management, organised into workspaces. Bodies are JSON; success is 200 with the
record itself. In a query, \`null\` and the empty text mean absence. Every request carries an API key. Lists answer
\`{ items, totalCount, nextCursor }\`. Every error has one body: branch on \`code\`, show \`message\`. Operations marked
\`x-ext\` go beyond the published interface.`;

/** Returns the API as an OpenAPI 3.1 document (https://spec.openapis.org/oas/v3.1.0), built from the route table. */
export function openApiDocument(version: string): OpenApi {
  const components = new Components();
  const rows = Object.entries(routes) as [RouteName, Route][];
  const paths: OpenApi['paths'] = {};
  for (const [name, route] of rows)
    (paths[route.path] ??= {})[route.method.toLowerCase()] = operationOf(name, route, components);
  const webhooks = { event: { post: eventOf(components) } };
  const responses = errorResponses(components);
  return {
    openapi: '3.1.0',
    info: {
      title: 'deskbridge',
      version,
      description: DESCRIPTION,
      contact: { name: 'Whoever runs this service' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    // Relative to the URL of this document: behind any proxy, the page calls the server that served it.
    servers: [{ url: '/api' }],
    security: [{ header: [] }, { query: [] }],
    tags: [...new Set(rows.map(([, route]) => tagOf(route)))].map((name) => ({
      name,
      description: `Operations below \`/${name}\`.`,
    })),
    paths,
    webhooks,
    components: {
      schemas: components.schemas,
      responses,
      headers: {
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
        RetryAfter: { description: 'Whole seconds to wait.', schema: { type: 'integer' } },
      },
      securitySchemes: {
        header: { type: 'apiKey', in: 'header', name: TOKEN_HEADER },
        query: {
          type: 'apiKey',
          in: 'query',
          name: TOKEN_PARAMETER,
          description:
            'Where no header can be set. Discouraged, because addresses are logged; the header wins.',
        },
      },
    },
  };
}

/** Codes that an operation returns; an unknown method belongs to no operation. */
const CODES = (Object.keys(ERROR_STATUS) as ErrorCode[]).filter((code) => code !== 'METHOD_NOT_ALLOWED');

function errorResponses(components: Components): Part {
  const schema = components.add(errorEnvelope, 'output');
  return Object.fromEntries(
    CODES.map((code): [string, Part] => {
      const status = ERROR_STATUS[code];
      const issues =
        status === 400 || status === 422 ? { issues: [{ path: 'title', message: 'Too long' }] } : {};
      return [
        code,
        {
          description: code,
          ...(status === 429 && { headers: { 'retry-after': { $ref: '#/components/headers/RetryAfter' } } }),
          content: {
            'application/json': {
              schema,
              example: {
                code,
                message: MESSAGES[code],
                ...issues,
                requestId: 'req_01k9zj5m8w4r2tq7y6x3c1v0b9',
              },
            },
          },
        },
      ];
    }),
  );
}

const MESSAGES: Record<ErrorCode, string> = {
  BAD_REQUEST: 'The request is malformed. title: Too long',
  UNAUTHORIZED: 'A valid API key is needed, in the header x-service-api-token.',
  FORBIDDEN: 'This key has the role read; agent is needed.',
  NOT_FOUND: 'There is no such record, or it is not visible to this key.',
  METHOD_NOT_ALLOWED: 'Method not allowed.',
  CONFLICT: 'Another request changed this record at the same time. Read it again, then repeat.',
  PAYLOAD_TOO_LARGE: 'The body is too large.',
  UNSUPPORTED_MEDIA_TYPE: 'Send the body as application/json.',
  UNPROCESSABLE_CONTENT: 'The workspace has no status "sts_unknown"',
  TOO_MANY_REQUESTS: 'More than 1000 requests a minute. Wait as Retry-After says.',
  INTERNAL_SERVER_ERROR: 'Internal error. The log has details under the request id.',
  SERVICE_UNAVAILABLE: 'The service’s database is unavailable. Try again shortly.',
};

/** Returns the event that a webhook gets (docs/api.md, Webhooks). */
function eventOf(components: Components): Part {
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
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: components.add(webhookEvent, 'output'),
          example: exampleOf(webhookEvent.options[0], 'output'),
        },
      },
    },
    responses: { '200': { description: 'Any 2xx is taken; anything else is tried again.' } },
  };
}
