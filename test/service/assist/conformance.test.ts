import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { describe, expect, it } from 'vitest';

import { startTap } from '../../harness/tap.ts';
import { startTestService } from '../harness.ts';
import { allow } from './mcp-call.ts';

const run = promisify(execFile);
/** The protocol's own conformance tests. */
const TESTS = fileURLToPath(
  new URL('index.js', import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js')),
);

/** Every scenario for servers: what each checks, or why it does not apply. */
const TEST_TOOL = 'calls a tool that only a server for tests has';
const TEST_RESOURCE = 'reads a resource that only a server for tests has';
const TEST_PROMPT = 'gets a prompt that only a server for tests has';
const STREAM = 'needs a session or a stream that outlives a request, and each request here is answered whole';
const OPTIONAL = 'needs a capability that is optional and not offered here';
const SCENARIOS: Record<string, 'passes' | (string & {})> = {
  'server-initialize': 'passes',
  ping: 'passes',
  'tools-list': 'passes',
  'resources-list': 'passes',
  'prompts-list': 'passes',
  'dns-rebinding-protection': 'passes',
  'tools-call-simple-text': TEST_TOOL,
  'tools-call-image': TEST_TOOL,
  'tools-call-audio': TEST_TOOL,
  'tools-call-embedded-resource': TEST_TOOL,
  'tools-call-mixed-content': TEST_TOOL,
  'tools-call-with-logging': TEST_TOOL,
  'tools-call-error': TEST_TOOL,
  'tools-call-with-progress': TEST_TOOL,
  'tools-call-sampling': TEST_TOOL,
  'tools-call-elicitation': TEST_TOOL,
  'json-schema-2020-12': TEST_TOOL,
  'elicitation-sep1034-defaults': TEST_TOOL,
  'elicitation-sep1330-enums': TEST_TOOL,
  'resources-read-text': TEST_RESOURCE,
  'resources-read-binary': TEST_RESOURCE,
  'resources-templates-read': TEST_RESOURCE,
  'prompts-get-simple': TEST_PROMPT,
  'prompts-get-with-args': TEST_PROMPT,
  'prompts-get-embedded-resource': TEST_PROMPT,
  'prompts-get-with-image': TEST_PROMPT,
  'server-sse-polling': STREAM,
  'server-sse-multiple-streams': STREAM,
  'resources-subscribe': STREAM,
  'resources-unsubscribe': STREAM,
  'logging-set-level': OPTIONAL,
  'completion-complete': OPTIONAL,
};

const conformance = async (...args: string[]) => (await run(process.execPath, [TESTS, ...args])).stdout;

describe('the protocol’s conformance tests', () => {
  it('are those that are known here: a new one needs a decision', async () => {
    const names = (await conformance('list', '--server')).matchAll(/^ +- ([\w-]+)/gm);
    expect(Array.from(names, ([, name]) => name).toSorted()).toEqual(Object.keys(SCENARIOS).toSorted());
  });

  it.each(Object.keys(SCENARIOS).filter((name) => SCENARIOS[name] === 'passes'))(
    'pass: %s',
    async (scenario) => {
      // They send no key, and call a server by the address that it says it has.
      const tap = await startTap('key', '', async () => 'go on');
      const running = await startTestService({ publicUrl: tap.url });
      await allow(running);
      tap.target = new URL(running.url).origin;
      tap.headers = { authorization: `Bearer ${running.token}` };
      const said = await conformance('server', '--url', `${tap.url}/mcp`, '--scenario', scenario);
      expect(said).toMatch(/Passed: [1-9]\d*\/\d+, 0 failed/);
    },
  );
});
