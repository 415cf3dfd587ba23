import path from 'node:path';

import { describe, expect, test } from 'vitest';
import { parseAllDocuments, parse } from 'yaml';
import { z } from 'zod';

import { readConfig } from '../../src/start/config.ts';
import { anchorOf, codeIn, filesOf, isThere, rowsUnder, sectionsOf, textOf } from './documents.ts';

const FOLDER = 'docs/deploy';
const PROBES = ['/healthz', '/readyz'];
const IMAGE_PORT = 8080;

/** Every document of a YAML file; throws on syntax errors. */
const documentsIn = (file: string): unknown[] =>
  parseAllDocuments(textOf(file), { strict: true, uniqueKeys: true }).map((document) => {
    if (document.errors.length > 0) throw new Error(`${file}: ${document.errors.join('\n')}`);
    return document.toJS() as unknown;
  });

/** Valid values for settings that the examples leave to the reader. */
const FILLED: Record<string, string> = { TOKEN_ENCRYPTION_KEY: Buffer.alloc(32).toString('base64') };
const filled = (name: string, value: string) => FILLED[name] ?? value.padEnd(20, 'x');

const envExample = Object.fromEntries(
  textOf(`${FOLDER}/deskbridge.env.example`)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line): [string, string] => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
);

/**
 * The keys of the Compose Specification that our file uses; any other is a typing error, or has to be added
 * here.
 */
const Compose = z.strictObject({
  name: z.string(),
  services: z.record(
    z.string(),
    z.strictObject({
      image: z.string(),
      build: z.string().optional(),
      entrypoint: z.array(z.string()).optional(),
      command: z.array(z.string()).optional(),
      environment: z.record(z.string(), z.string()),
      secrets: z.array(z.string()),
      volumes: z.array(z.string()).optional(),
      ports: z.array(z.string()).optional(),
      healthcheck: z
        .strictObject({
          test: z.tuple([z.literal('CMD')], z.string()),
          interval: z.string(),
          timeout: z.string(),
          retries: z.int(),
        })
        .optional(),
      deploy: z.strictObject({ replicas: z.int() }).optional(),
      depends_on: z
        .record(z.string(), z.strictObject({ condition: z.literal('service_healthy') }))
        .optional(),
      mem_limit: z.string().regex(/^\d+[mg]$/),
      init: z.boolean().optional(),
      read_only: z.boolean().optional(),
      tmpfs: z.array(z.string()).optional(),
      cap_drop: z.array(z.string()).optional(),
      security_opt: z.array(z.string()).optional(),
      stop_grace_period: z.string(),
      restart: z.literal('unless-stopped'),
    }),
  ),
  volumes: z.record(z.string(), z.null()),
  secrets: z.record(z.string(), z.strictObject({ file: z.string() })),
});

describe('compose.yaml', () => {
  const [document] = documentsIn(`${FOLDER}/compose.yaml`);
  const compose = Compose.parse(document);
  const { database, deskbridge } = compose.services;

  test('only has keys of the Compose Specification, and everything it refers to exists', () => {
    const secrets = Object.keys(compose.secrets);
    const used = Object.values(compose.services).flatMap((service) => service.secrets);
    expect([...new Set(used)].sort()).toEqual(secrets.sort());
    expect(database?.volumes?.map((volume) => volume.split(':')[0])).toEqual(Object.keys(compose.volumes));
    expect(Object.keys(deskbridge?.depends_on ?? {})).toEqual(['database']);
    expect(database?.healthcheck).toBeDefined();
    // The health check of the other service is in its image.
    expect(textOf('Dockerfile')).toMatch(/^HEALTHCHECK /m);
    expect(isThere(path.join(FOLDER, deskbridge?.build ?? '', 'Dockerfile'))).toBe(true);
    expect(deskbridge?.entrypoint?.at(-1)).toBe('src/launch.js');
  });

  test('has a host port for each replica, and its secrets in files that are never committed', () => {
    const [, first, last, inside] =
      /^127\.0\.0\.1:(\d+)-(\d+):(\d+)$/.exec(deskbridge?.ports?.[0] ?? '') ?? [];
    expect(Number(last) - Number(first) + 1).toBe(deskbridge?.deploy?.replicas);
    expect([Number(inside), textOf('Dockerfile')]).toEqual([
      IMAGE_PORT,
      expect.stringContaining(`EXPOSE ${IMAGE_PORT}`),
    ]);
    const ignored = textOf('.gitignore').split('\n');
    for (const { file } of Object.values(compose.secrets)) {
      expect(ignored).toContain(path.join(FOLDER, file));
      expect(isThere(path.join(FOLDER, `${file}.example`)) || file === './database-password').toBe(true);
    }
  });
});

const Labels = z.record(z.string(), z.string());
const Probe = z.object({ httpGet: z.object({ path: z.enum(PROBES), port: z.literal('http') }) });
const Resource = z.discriminatedUnion('kind', [
  z.object({
    apiVersion: z.literal('apps/v1'),
    kind: z.literal('Deployment'),
    metadata: z.object({ name: z.string() }),
    spec: z.object({
      replicas: z.int(),
      selector: z.object({ matchLabels: Labels }),
      template: z.object({
        metadata: z.object({ labels: Labels }),
        spec: z.object({
          terminationGracePeriodSeconds: z.int().min(15),
          securityContext: z.object({ runAsNonRoot: z.literal(true), runAsUser: z.literal(1000) }),
          containers: z.tuple([
            z.object({
              name: z.string(),
              image: z.string(),
              env: z.array(z.object({ name: z.string(), value: z.string() })),
              envFrom: z.tuple([z.object({ secretRef: z.object({ name: z.string() }) })]),
              ports: z.tuple([z.object({ name: z.literal('http'), containerPort: z.literal(IMAGE_PORT) })]),
              resources: z.object({
                requests: z.object({ memory: z.string().regex(/^\d+[MG]i$/) }),
                limits: z.object({ memory: z.string().regex(/^\d+[MG]i$/) }),
              }),
              startupProbe: Probe,
              livenessProbe: Probe,
              readinessProbe: Probe,
              volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })),
            }),
          ]),
          volumes: z.array(z.object({ name: z.string(), emptyDir: z.object({}) })),
        }),
      }),
    }),
  }),
  z.object({
    apiVersion: z.literal('v1'),
    kind: z.literal('Service'),
    metadata: z.object({ name: z.string() }),
    spec: z.object({ selector: Labels, ports: z.array(z.object({ targetPort: z.literal('http') })) }),
  }),
  z.object({
    apiVersion: z.literal('policy/v1'),
    kind: z.literal('PodDisruptionBudget'),
    metadata: z.object({ name: z.string() }),
    spec: z.object({ maxUnavailable: z.int(), selector: z.object({ matchLabels: Labels }) }),
  }),
  z.object({
    apiVersion: z.literal('v1'),
    kind: z.literal('Secret'),
    metadata: z.object({ name: z.string() }),
    stringData: z.record(z.string(), z.string()),
  }),
]);
type Kind = z.infer<typeof Resource>['kind'];

describe('the Kubernetes manifests', () => {
  const all = [...filesOf(`${FOLDER}/kubernetes/*.yaml`).keys()]
    .flatMap(documentsIn)
    .map((one) => Resource.parse(one));
  const the = <K extends Kind>(kind: K) => {
    const [found, ...more] = all.filter((one): one is Extract<typeof one, { kind: K }> => one.kind === kind);
    if (!found || more.length > 0) throw new Error(`not just one ${kind}`);
    return found;
  };
  const { spec } = the('Deployment');
  const [container] = spec.template.spec.containers;

  test('select the same pods, mount existing volumes and use the Secret of the example', () => {
    const { labels } = spec.template.metadata;
    expect(spec.selector.matchLabels).toEqual(labels);
    expect(the('Service').spec.selector).toEqual(labels);
    expect(the('PodDisruptionBudget').spec.selector.matchLabels).toEqual(labels);
    expect(the('PodDisruptionBudget').spec.maxUnavailable).toBeLessThan(spec.replicas);
    expect(container.envFrom[0].secretRef.name).toBe(the('Secret').metadata.name);
    expect(container.volumeMounts.map(({ name }) => name)).toEqual(
      spec.template.spec.volumes.map(({ name }) => name),
    );
    expect([container.startupProbe, container.livenessProbe].map(({ httpGet }) => httpGet.path)).toEqual([
      '/healthz',
      '/healthz',
    ]);
    expect(container.readinessProbe.httpGet.path).toBe('/readyz');
  });

  test('limit the memory, as compose.yaml does, and trust one proxy', () => {
    const mib = (text: string) => Number.parseInt(text) * (/g/i.test(text) ? 1024 : 1);
    const { requests, limits } = container.resources;
    expect(mib(requests.memory)).toBeLessThanOrEqual(mib(limits.memory));
    const { deskbridge } = Compose.parse(documentsIn(`${FOLDER}/compose.yaml`)[0]).services;
    expect(mib(limits.memory)).toBe(mib(deskbridge?.mem_limit ?? ''));
    expect(container.env.find(({ name }) => name === 'TRUSTED_PROXIES')?.value).toBe('1');
    expect(deskbridge?.environment['TRUSTED_PROXIES']).toBe('${TRUSTED_PROXIES:-1}');
  });

  test('have valid settings, the same as compose.yaml', () => {
    const { stringData } = the('Secret');
    expect(Object.keys(stringData)).toEqual(Object.keys(envExample));
    for (const secrets of [stringData, envExample]) {
      const environment = Object.fromEntries(
        Object.entries(secrets).map(([name, value]) => [name, filled(name, value)]),
      );
      const plain = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));
      const config = readConfig({ ...environment, ...plain });
      for (const name of [...Object.keys(environment), ...Object.keys(plain)])
        expect(Object.keys(config)).toContain(name);
    }
  });
});

const Rules = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string(),
      rules: z.array(
        z.strictObject({
          alert: z.string().regex(/^Deskbridge[A-Z]\w+$/),
          expr: z.string(),
          for: z
            .string()
            .regex(/^\d+[smhd]$/)
            .optional(),
          labels: z.strictObject({ severity: z.enum(['page', 'ticket']) }),
          annotations: z.strictObject({ summary: z.string() }),
        }),
      ),
    }),
  ),
});
const Dashboard = z.object({
  title: z.string(),
  uid: z.string(),
  panels: z.array(
    z.object({
      id: z.int(),
      gridPos: z.object({ x: z.int(), y: z.int(), w: z.int(), h: z.int() }),
      targets: z.array(z.object({ expr: z.string() })).min(1),
    }),
  ),
});

describe('Prometheus rules and the Grafana dashboard', () => {
  const alerts = Rules.parse(parse(textOf(`${FOLDER}/prometheus-rules.yaml`))).groups.flatMap(
    ({ rules }) => rules,
  );
  const dashboard = Dashboard.parse(JSON.parse(textOf(`${FOLDER}/grafana-dashboard.json`)));
  const shown = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  const figures = new Map(
    ['Bridge metrics', 'Service metrics', 'Process metrics']
      .flatMap((heading) => rowsUnder('docs/operate.md', heading))
      .map(([name = '', kind = '', labels = '']) => [
        codeIn(name),
        { kind, labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label) },
      ]),
  );
  // Not ours: metrics of Prometheus and Node.
  const OTHERS = new Set(['up', 'process_resident_memory_bytes']);

  /** The names of metrics and labels in a PromQL expression. */
  function namesIn(expr: string): { figures: string[]; labels: string[] } {
    const plain = expr.replaceAll(/"[^"]*"/g, '""');
    const grouped = [...plain.matchAll(/\b(?:by|on) ?\(([^)]*)\)/g)].flatMap(([, names = '']) =>
      names.split(', '),
    );
    const selected = [...plain.matchAll(/(\w+)(?:=|!=|=~|!~)""/g)].map(([, label = '']) => label);
    const rest = plain.replaceAll(/\{[^}]*\}|\b(?:by|on) ?\([^)]*\)/g, '');
    return {
      figures: [...rest.matchAll(/\b([a-z]+(?:_[a-z]+)+|up)\b(?! ?\()/g)].map(([, name = '']) => name),
      labels: [...grouped, ...selected].filter(Boolean),
    };
  }

  test.each([...alerts.map(({ expr }) => expr), ...shown])('%s uses existing metrics and labels', (expr) => {
    const named = namesIn(expr);
    expect(named.figures).not.toEqual([]);
    const known = named.figures
      .filter((name) => !OTHERS.has(name))
      .map((name) => {
        const histogram = figures.get(name.replace(/_(bucket|count|sum)$/, ''));
        return { name, figure: histogram?.kind === 'histogram' ? histogram : figures.get(name) };
      });
    expect(known.filter(({ figure }) => figure === undefined)).toEqual([]);
    const labels = ['le', 'job', 'instance', ...known.flatMap(({ figure }) => figure?.labels ?? [])];
    expect(named.labels.filter((label) => !labels.includes(label))).toEqual([]);
  });

  test('each alert has its section in the runbook, and each section its alert', () => {
    const sections = sectionsOf('docs/operate.md').filter((section) => section.startsWith('Deskbridge'));
    expect(sections).toEqual(alerts.map(({ alert }) => alert));
    expect(new Set(sections.map(anchorOf)).size).toBe(sections.length);
  });

  test('the panels of the dashboard do not overlap', () => {
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, n) => `${x + (n % w)},${y + Math.trunc(n / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
  });
});
