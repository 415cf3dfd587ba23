import { globSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

import { expect, onTestFinished, test } from 'vitest';

import { DEMO } from '../../src/start/demo.ts';
import { textOf } from '../docs/documents.ts';
import { ticketAt } from '../harness/ticket.ts';
import { startProcess } from '../harness/world.ts';

const CHANNEL = 'it-help';

interface SpanSent {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
}

interface Sent {
  resourceSpans: {
    resource: { attributes: { key: string; value: { stringValue?: string } }[] };
    scopeSpans: { spans: SpanSent[] }[];
  }[];
}

test('one trace follows a message from chat to its ticket and back, and another an answer from the ticket to chat; neither contains texts or keys', async () => {
  const collector = await startCollector();
  const world = await startProcess({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_SERVICE_NAME: 'help-desk',
  });
  const { chat, service, apiKey } = world;
  const { bot } = await chat.state();
  const { ts: root } = await chat.say(CHANNEL, 'ada', `<@${bot}> my armadillo squeaks`);
  const { id } = await ticketAt(service, root);
  await world.untilIdle();
  await service.createTicketMessage({ body: { ticketId: id, content: 'which armadillo?' } });
  await world.untilIdle();
  expect(await world.stop()).toBe(0);

  const spans = collector.sent.flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
  );
  expect(spans.map(({ name }) => name)).toContain('service createTicket');
  const traceOf = (name: string) => {
    const traces = new Set(spans.filter((span) => span.name === name).map(({ traceId }) => traceId));
    return spans.filter(({ traceId }) => traces.has(traceId));
  };
  const asked = traceOf('service createTicket');
  expect(new Set(asked.map(({ traceId }) => traceId)).size).toBe(1);
  expect(pathTo(asked, 'POST /api/tickets')).toEqual([
    'chat event',
    'work event',
    'service createTicket',
    'POST /api/tickets',
  ]);
  // The bridge gets no events for its own writes.
  expect(pathTo(asked, 'POST /webhooks/service/:token')).toEqual([]);
  expect(pathTo(asked, 'chat chat.postMessage').slice(0, 2)).toEqual(['chat event', 'work event']);

  const answered = traceOf('POST /api/ticket-messages');
  expect(pathTo(answered, 'chat chat.postMessage')).toEqual([
    'POST /api/ticket-messages',
    'work chat-attempt',
    'webhook delivery',
    'POST /webhooks/service/:token',
    'work mirror',
    'work send',
    'chat chat.postMessage',
  ]);

  const everything = JSON.stringify(collector.sent);
  expect(everything).toContain('help-desk');
  for (const secret of ['armadillo', apiKey, DEMO.app.botToken, DEMO.app.appToken, 'xoxb-'])
    expect(everything).not.toContain(secret);
  // Periodic work belongs to no message.
  expect(spans.filter(({ name }) => name === 'work reconcile' || name === 'job receipts')).toEqual([]);
});

/** The names from the beginning of a trace to a span of that name. */
function pathTo(spans: readonly SpanSent[], name: string): string[] {
  const path: string[] = [];
  let at = spans.find((span) => span.name === name);
  while (at) {
    path.unshift(at.name);
    const { parentSpanId } = at;
    at = spans.find(({ spanId }) => spanId === parentSpanId);
  }
  return path;
}

/** An OTLP collector that accepts JSON over HTTP. */
async function startCollector(): Promise<{ url: string; sent: Sent[] }> {
  const sent: Sent[] = [];
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      expect(request.url).toBe('/v1/traces');
      sent.push(body as Sent);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sent };
}

test('docs/operate.md names the tested packages for tracing with their versions', () => {
  const { devDependencies } = JSON.parse(textOf('package.json')) as {
    devDependencies: Record<string, string>;
  };
  const named = [...textOf('docs/operate.md').matchAll(/(@opentelemetry\/[\w-]+)@([\d.]+)/g)];
  const tried = Object.entries(devDependencies).filter(
    ([name]) => name.startsWith('@opentelemetry/') && name !== '@opentelemetry/api',
  );
  expect(named.map(([, name, version]) => [name, version])).toEqual(tried);
});

test('one file loads the tracing packages, and that file is only loaded if a collector is configured', () => {
  const importing = sourceFiles().filter((file) => textOf(file).includes("'@opentelemetry/"));
  expect(importing).toEqual(['src/start/open-telemetry.ts']);
  const users = sourceFiles().filter((file) => textOf(file).includes('open-telemetry.ts'));
  expect(users).toEqual(['src/start/tracing.ts']);
  expect(textOf('src/start/tracing.ts')).not.toMatch(/^import .*open-telemetry/m);
});

function sourceFiles(): string[] {
  return globSync('src/**/*.ts').sort();
}
