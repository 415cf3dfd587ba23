import { expect } from 'vitest';

import type { TicketFile } from '../../../src/contract/index.ts';
import { type Running, type Settings, startTestService } from '../harness.ts';
import { uploadFile } from '../upload.ts';
import { openTables } from '../world.ts';

/** A service with a ticket, and what its tables have of files. */
export async function startWithTicket(settings: Settings = {}) {
  const running = await startTestService(settings);
  const { db } = openTables(running);
  const post = async (path: string, body: unknown, token?: string) => {
    const answer = await running.call('POST', path, { body, ...(token !== undefined && { token }) });
    expect([path, answer.status]).toEqual([path, 200]);
    return answer.body as typeof answer.body & { files: TicketFile[] };
  };
  // This service answers at its root, not below /api.
  const get = (path: string, headers: Record<string, string> = {}, token = running.token) =>
    fetch(`${running.url}${path.replace(/^\/api\//, '/')}`, {
      headers: { 'x-service-api-token': token, ...headers },
    });
  const { id: ticket } = await post('/tickets', { title: 'With files' });
  const stored = async () => ({
    files: (await db.selectFrom('file').selectAll().execute()).length,
    contents: (await db.selectFrom('file_content').selectAll().execute()).length,
    chunks: (await db.selectFrom('file_chunk').select('position').execute()).length,
  });
  const chunks = async () =>
    (await db.selectFrom('file_chunk').select(['position', 'bytes']).orderBy('position').execute()).map(
      ({ position, bytes }) => ({ from: position, to: position + bytes.length }),
    );
  const bytes = async () => (await chunks()).reduce((sum, { from, to }) => sum + to - from, 0);
  return { ...running, db, post, get, ticket, stored, chunks, bytes };
}

export const upload = (running: Running, path: string, options?: Parameters<typeof uploadFile>[2]) =>
  uploadFile(running, path, options);
