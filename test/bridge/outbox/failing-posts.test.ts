import { expect, test } from 'vitest';
import {
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
} from '@slack/web-api';

import { failureOf } from '../../../src/bridge/features/files/upload-file.ts';
import { type FailingPost, isGivenUp } from '../../../src/bridge/outbox/send.ts';
import { ChatError, chatErrorOf, isSlackFailing } from '../../../src/bridge/slack/errors.ts';
import { AnsweredError, UnreachableError } from '../../../src/client/index.ts';

const HOUR_MS = 3_600_000;
const METHODS = [
  'chat.postMessage',
  'chat.update',
  'chat.delete',
  'conversations.replies',
  'conversations.open',
  'files.getUploadURLExternal',
  'files.completeUploadExternal',
  'files.info',
  'reactions.add',
];
const platform = (error: string) => new WebAPIPlatformError({ ok: false, error, response_metadata: {} });
const answered = (status: number) =>
  new AnsweredError(
    'a call',
    status,
    { code: null, message: null, issues: [], conflict: null, requestId: null },
    undefined,
  );

/**
 * The errors after which a call is repeated, whether they may be of one post for ever, and how a file's are counted.
 */
const ERRORS: [string, Error, boolean, object | undefined][] = [
  ...['fatal_error', 'internal_error', 'request_timeout', 'service_unavailable'].map(
    (code): [string, Error, boolean, object] => [code, platform(code), true, { tries: 3 }],
  ),
  // An admin has to act.
  ...['invalid_auth', 'missing_scope', 'token_revoked', 'account_inactive', 'ratelimited'].map(
    (code): [string, Error, boolean, undefined] => [code, platform(code), false, undefined],
  ),
  ['HTTP 429', new WebAPIRateLimitedError(30), false, undefined],
  // Slack is away as a whole, or does not answer about files alone.
  ...[
    new WebAPIHTTPError(503, 'Service Unavailable', {}),
    new WebAPIHTTPError(403, 'Forbidden', {}),
    new WebAPIRequestError(new Error('other side closed')),
    new TypeError('terminated', { cause: new Error('other side closed') }),
    platform('<!DOCTYPE html><html></html>'),
  ].map((error): [string, Error, boolean, object] => [
    `${error.name} ${error.message}`,
    error,
    false,
    { tries: 10, orOutage: true },
  ]),
];

test.each(ERRORS)(
  'of every method, %s blocks a conversation for a limited time or until an admin acts',
  (_, error, isLimited, ofFile) => {
    for (const method of METHODS) {
      const classed = chatErrorOf(method, error);
      if (!(classed instanceof ChatError)) throw new Error(`${method}: not classed`);
      expect([method, classed.next, isSlackFailing(classed)]).toEqual([method, 'retry', isLimited]);
      if (ofFile) expect(failureOf(classed), method).toMatchObject(ofFile);
      else expect(failureOf(classed), method).toBeUndefined();
    }
  },
);

test.each<[string, unknown, number | undefined]>([
  ['the storage answers HTTP 500', new ChatError('x', { next: 'retry', certain: true }), 10],
  ['the help desk fails at it', answered(500), 10],
  ['the help desk is being repaired', answered(503), undefined],
  ['the help desk is away', new UnreachableError('a call', true, undefined), undefined],
  [
    'Slack refuses it',
    new ChatError('x', { next: 'give-up', certain: true, method: 'm', code: 'c' }),
    undefined,
  ],
])('B18 an upload is given up after a number of attempts: %s', (_, error, tries) => {
  expect(failureOf(error)?.tries).toBe(tries);
});

test.each<[string, Partial<FailingPost>, boolean]>([
  ['Slack fails at it, and takes others', {}, true],
  ['Slack takes no others: it may be down', { othersPass: false }, false],
  ['Slack takes no others for a day', { othersPass: false, waitedMs: 24 * HOUR_MS }, false],
  ['Slack takes no others for two days', { othersPass: false, waitedMs: 48 * HOUR_MS }, true],
  ['it was tried a few times', { attempt: 11 }, false],
  ['it is no error of Slack’s own', { slackFails: false, attempt: 999, waitedMs: 99 * HOUR_MS }, false],
])('B49 a post is given up, or not: %s', (_, facts, expected) => {
  const post = { slackFails: true, attempt: 12, waitedMs: HOUR_MS, othersPass: true };
  expect(isGivenUp({ ...post, ...facts })).toBe(expected);
});
