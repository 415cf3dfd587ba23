import { PassThrough } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';

import { expect, onTestFinished, test } from 'vitest';

import { receiveFiles } from '../../../src/service/files/receive.ts';
import { UploadPlaces } from '../../../src/service/files/upload-places.ts';
import { until } from '../../harness/until.ts';
import { startWithTicket, upload } from './setup.ts';

type Uploader = Parameters<UploadPlaces['enter']>[0];

const person = (id: string): Uploader => ({
  personId: id,
  keyId: null,
  session: { id: `ses_${id}`, role: 'agent', queueIds: [] },
});
const key = (id: string): Uploader => ({ personId: null, keyId: id });

/** How many of so many uploads at once are admitted, and with what the next one is refused. */
function admitted(places: UploadPlaces, caller: Uploader) {
  for (let count = 0; count < 100; count++)
    try {
      places.enter(caller);
    } catch (error) {
      return [count, (error as { code: string }).code, (error as { retryAfter: number }).retryAfter];
    }
  return undefined;
}

test('one caller has few uploads at once, and a process not many more; each that ends makes room', () => {
  const places = new UploadPlaces();
  expect(admitted(places, person('ada'))).toEqual([6, 'TOO_MANY_REQUESTS', 2]);
  expect(admitted(places, key('bridge'))).toEqual([16, 'TOO_MANY_REQUESTS', 2]);
  expect(admitted(places, key('other'))).toEqual([16, 'TOO_MANY_REQUESTS', 2]);
  expect(admitted(places, key('third'))).toEqual([16, 'TOO_MANY_REQUESTS', 2]);
  const ben = [1, 2, 3, 4, 5, 6].map(() => places.enter(person('ben')));
  expect(admitted(places, person('cy'))).toEqual([4, 'SERVICE_UNAVAILABLE', 2]);
  ben[0]?.leave();
  expect(admitted(places, person('cy'))).toEqual([1, 'SERVICE_UNAVAILABLE', 2]);
  ben[1]?.leave();
  expect(admitted(places, person('ada'))).toEqual([0, 'TOO_MANY_REQUESTS', 2]);
});

const form = (bytes: number, parts = 1) =>
  Buffer.concat([
    ...Array.from({ length: parts }, (_, n) =>
      Buffer.concat([
        Buffer.from(`--x\r\ncontent-disposition: form-data; name="k${n}"; filename="f.bin"\r\n\r\n`),
        Buffer.alloc(bytes, 97 + n),
        Buffer.from('\r\n'),
      ]),
    ),
    Buffer.from('--x--\r\n'),
  ]);

test('an upload over the limit is told when to come again, stores nothing, and is stored then', async () => {
  const running = await startWithTicket();
  const { hostname, port } = new URL(running.url);
  const body = form(1_000);
  const open = Array.from({ length: 16 }, () => {
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    socket.write(
      `POST /api/tickets/${running.ticket}/files HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-service-api-token: ${running.token}\r\ncontent-type: multipart/form-data; boundary=x\r\ncontent-length: ${body.length}\r\n\r\n`,
    );
    socket.write(body.subarray(0, -1));
    return socket;
  });
  const path = `/tickets/${running.ticket}/files`;
  const refused = await until('the places to be taken', async () => {
    const answer = await upload(running, path);
    return answer.status === 200 ? undefined : answer;
  });
  expect([refused.status, refused.body.code]).toEqual([429, 'TOO_MANY_REQUESTS']);
  const { files: before } = await running.stored();
  const [first] = open;
  if (!first) throw new Error('no upload is open');
  first.write(body.subarray(-1));
  expect((await buffer(first)).toString('latin1')).toMatch(/^HTTP\/1.1 200/);
  expect((await upload(running, path)).status).toBe(200);
  expect((await running.stored()).files).toBe(before + 2);
});

test('small files are held up to a budget; what is beyond it is stored as it arrives, and all of it is there', async () => {
  const running = await startWithTicket();
  const { id } = await running.post('/ticket-messages', { ticketId: running.ticket, content: 'see' });
  const places = new UploadPlaces();
  places.held.add(40 * 1024 ** 2);
  expect(places.held.isFull).toBe(true);
  places.held.add(-40 * 1024 ** 2);
  expect(places.held.isFull).toBe(false);
  const body = form(300_000, 3);
  const answer = await fetch(`${running.url}/ticket-messages/${id}/files`, {
    method: 'POST',
    headers: { 'x-service-api-token': running.token, 'content-type': 'multipart/form-data; boundary=x' },
    body,
  });
  expect(answer.status).toBe(200);
  expect(await running.bytes()).toBe(900_000);
});

test('a body that trickles in is refused after a while, one that waits for us is not', async () => {
  const body = new PassThrough() as unknown as IncomingMessage & PassThrough;
  body.headers = { 'content-type': 'multipart/form-data; boundary=x' };
  body.complete = false;
  const receiving = receiveFiles(body, 1, ({ stream }) => buffer(stream), 20);
  body.write(form(10).subarray(0, 100));
  await expect(receiving).rejects.toThrow('The body arrives too slowly');
});
