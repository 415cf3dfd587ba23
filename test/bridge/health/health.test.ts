import { describe, expect, test } from 'vitest';

import { checkClock } from '../../../src/bridge/health/check-chat.ts';
import { checkService } from '../../../src/bridge/health/check-service.ts';
import { checkWork, isBehind, type WorkFacts } from '../../../src/bridge/health/check-work.ts';
import { type Finding, skewOf, type States } from '../../../src/bridge/health/finding.ts';
import { compareChecks } from '../../../src/bridge/health/watch.ts';
import { createLog } from '../../../src/platform/log.ts';
import { createRegistry, registerGauges } from '../../../src/platform/metrics.ts';

const NOW = new Date('2026-01-05T09:00:00.000Z');
const MINUTE = 60_000;
const stateOf = (findings: readonly Finding[], id: string) => findings.find((one) => one.id === id)?.state;

describe('changes of health that are reported', () => {
  const finding = (state: Finding['state']): Finding => ({ id: 'x', state, says: state });
  const tellAll = (states: readonly Finding['state'][]) => {
    let before: States | undefined;
    return states.map((state) => {
      const { after, changes } = compareChecks(before, [finding(state)], NOW);
      before = after;
      return changes.map(({ became }) => became).join();
    });
  };

  test('a state is reported as bad once two checks in a row agree, and as well likewise', () => {
    expect(tellAll(['ok', 'bad', 'bad', 'bad', 'ok', 'ok', 'ok'])).toEqual([
      '',
      '',
      'bad',
      '',
      '',
      'well',
      '',
    ]);
  });

  test('a failure in a single check is not reported, nor is a warning', () => {
    expect(tellAll(['ok', 'bad', 'ok', 'bad', 'ok', 'warn', 'warn']).join('')).toBe('');
  });

  test('a flapping state stays bad until two checks in a row are well', () => {
    expect(tellAll(['bad', 'bad', 'ok', 'bad', 'warn', 'ok'])).toEqual(['', 'bad', '', '', '', 'well']);
  });

  test('a check that could not run keeps its last state', () => {
    const before = compareChecks(undefined, [finding('bad')], NOW).after;
    expect(compareChecks(before, [], NOW).after.checks).toEqual(before.checks);
  });
});

describe('clocks', () => {
  test.each([
    [0, 'ok'],
    [-29_000, 'ok'],
    [31_000, 'warn'],
    [-239_000, 'warn'],
    [241_000, 'bad'],
    [-3_600_000, 'bad'],
    [undefined, 'ok'],
  ])('a clock that is %s ms off is %s', (skew, state) => {
    expect(checkClock('c', 'Chat', skew).state).toBe(state);
  });

  test('the Date of a response is compared with the middle of the exchange, allowing for its missing milliseconds', () => {
    const exchange = { askedAt: NOW, answeredAt: new Date(NOW.getTime() + 1_000) };
    expect(skewOf('Mon, 05 Jan 2026 09:00:00 GMT', exchange)).toBe(0);
    expect(skewOf('Mon, 05 Jan 2026 08:58:00 GMT', exchange)).toBe(-120_000);
    expect(skewOf('yesterday, about tea time', exchange)).toBeUndefined();
    expect(skewOf(undefined, exchange)).toBeUndefined();
  });
});

describe('the public URL of the bridge', () => {
  test.each([
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080/api', 'ok'],
    ['http://127.0.0.1:8080', 'https://desk.example/api', 'bad'],
    ['http://localhost:8080', 'https://desk.example/api', 'bad'],
    ['http://[::1]:8080', 'https://desk.example/api', 'bad'],
    ['https://bridge.example', 'https://desk.example/api', 'ok'],
    ['https://bridge.example', 'http://localhost:8080/api', 'ok'],
  ])('%s with a service at %s is %s', (publicUrl, serviceUrl, state) => {
    const findings = checkService({
      facts: { workspaces: 'no answer', mayWork: undefined, webhook: 'unknown', skewMs: undefined },
      serviceUrl,
      publicUrl,
      webhookUrl: '',
      refusal: undefined,
      ping: 'not asked',
    });
    expect(stateOf(findings, 'address')).toBe(state);
  });
});

describe('waiting work', () => {
  const facts: WorkFacts = {
    classes: [],
    sending: { count: 0, oldestMs: 0 },
    files: { count: 0, oldestMs: 0 },
    drift: 0,
    comparedAt: NOW,
  };
  const oldest = (ofClass: string, seconds: number) => ({ class: ofClass, dead: 0, oldestSeconds: seconds });
  const check = (some: Partial<WorkFacts>, runningMs = 60 * MINUTE) =>
    checkWork({ ...facts, ...some }, { now: NOW, runningMs, everyMs: MINUTE });

  test.each([
    ['conversation', 59, 'ok'],
    ['conversation', 61, 'warn'],
    ['chat', 301, 'bad'],
    ['command', 301, 'bad'],
    ['reconcile', 86_400, 'ok'],
  ])('the oldest work of %s, %i s old, is %s', async (ofClass, seconds, state) => {
    const classes = [oldest(ofClass, seconds)];
    expect(stateOf(check({ classes }), 'queues')).toBe(state);
    expect(await isBehind({ figures: async () => classes })).toBe(state === 'bad');
  });

  test.each([
    [30_000, 'ok'],
    [2 * MINUTE, 'warn'],
    [11 * MINUTE, 'bad'],
  ])('a post with an unknown outcome for %i ms is %s', (oldestMs, state) => {
    expect(stateOf(check({ sending: { count: 1, oldestMs } }), 'uncertain')).toBe(state);
  });

  test('a file of chat that waits for a quarter of an hour is a warning', () => {
    expect(stateOf(check({ files: { count: 1, oldestMs: 14 * MINUTE } }), 'files')).toBe('ok');
    expect(stateOf(check({ files: { count: 1, oldestMs: 16 * MINUTE } }), 'files')).toBe('warn');
  });

  test('drift and an overdue or missing reconciliation are warnings', () => {
    expect(stateOf(check({ drift: 2 }), 'drift')).toBe('warn');
    expect(stateOf(check({ comparedAt: new Date(NOW.getTime() - 11 * MINUTE) }), 'reconciliation')).toBe(
      'warn',
    );
    expect(stateOf(check({ comparedAt: undefined }), 'reconciliation')).toBe('warn');
    expect(stateOf(check({}), 'reconciliation')).toBe('ok');
    // A bridge that has just started had no time for it.
    expect(stateOf(check({ comparedAt: undefined }, MINUTE), 'reconciliation')).toBe('ok');
  });

  test('every finding that is not ok has a fix', () => {
    const findings = check({
      classes: [{ class: 'chat', dead: 3, oldestSeconds: 1_000 }],
      sending: { count: 2, oldestMs: 20 * MINUTE },
      files: { count: 2, oldestMs: 20 * MINUTE },
      drift: 1,
      comparedAt: undefined,
    });
    expect(findings.map(({ state }) => state)).not.toContain('ok');
    expect(findings.filter(({ fix }) => !fix)).toEqual([]);
  });
});

describe('gauges that are read on each scrape', () => {
  const log = createLog({ level: 'silent', pretty: false });
  const gauges = [
    { name: 'plain', help: 'h', figures: (value: number) => [{ value }] },
    {
      name: 'labelled',
      help: 'h',
      labelNames: ['queue'],
      figures: (value: number) => [{ labels: { queue: 'q' }, value }],
    },
  ];

  test('are read once per scrape', async () => {
    const registry = createRegistry();
    let reads = 0;
    registerGauges(registry, async () => ++reads, gauges, log);
    expect(await registry.metrics()).toContain('plain 1\n');
    expect(await registry.metrics()).toMatch(/plain 2\n[^]*labelled\{queue="q"\} 2/);
  });

  test('show NaN or nothing when the read fails, never a healthy value, and recover', async () => {
    const registry = createRegistry();
    let away = false;
    const read = async () => {
      if (away) throw new Error('the database is away');
      return 7;
    };
    registerGauges(registry, read, gauges, log);
    expect(await registry.metrics()).toContain('labelled{queue="q"} 7');
    away = true;
    const text = await registry.metrics();
    expect(text).toContain('plain Nan\n');
    expect(text).not.toContain('labelled{');
    away = false;
    expect(await registry.metrics()).toContain('plain 7\n');
  });
});
