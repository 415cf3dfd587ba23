import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect, onTestFinished, test } from 'vitest';

import { mirrorWork } from '../../../src/bridge/inbox/store.ts';
import { openReconciliation } from '../../../src/bridge/index.ts';
import { systemClock as clock } from '../../../src/platform/clock.ts';
import { createLog } from '../../../src/platform/log.ts';
import { bridgeDatabase } from '../../harness/bridge-database.ts';
import { bridgeEngine } from '../../harness/bridge-engine.ts';

/** A server that answers every call of the Web API as this bot's, and everything else with 503. */
async function serveOnlySlack(): Promise<string> {
  const server = createServer((request, response) => {
    const isSlack = request.url?.startsWith('/api/') === true;
    response
      .writeHead(isSlack ? 200 : 503, { 'content-type': 'application/json' })
      .end(
        JSON.stringify({ ok: true, team_id: 'T1', team: 'T', user_id: 'UBOT', user: 'desk', bot_id: 'B1' }),
      );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('B50 a manual comparison leaves all other work to the bridge', async () => {
  const { database, url: databaseUrl } = await bridgeDatabase(2);
  const url = await serveOnlySlack();
  await bridgeEngine(database).add(mirrorWork('cnv_1', 'tkt_1'));
  let ids = 0;
  const reconciliation = await openReconciliation({
    databaseUrl,
    service: { url: `${url}/service`, token: 'key', tokenHeader: 'authorization' },
    chat: { botToken: 'xoxb-1', apiUrl: `${url}/api/` },
    random: () => 0,
    settingsKeptMs: 1_000,
    clock,
    newId: (prefix) => `${prefix}_${++ids}`,
    newSecret: () => 'x'.repeat(32),
    log: createLog({ level: 'silent', pretty: false }),
    fileBytes: 1_000,
    command: '/ticket',
    publicUrl: url,
    noticeAfterMs: 0,
    readsPerMinute: 60,
    retentionDays: 90,
  });
  onTestFinished(() => reconciliation.stop());

  const comparing = reconciliation.compare();
  await comparing.next();
  await comparing.return(undefined);
  const mirrors = await database.db
    .selectFrom('work')
    .select(['attempts', 'dead_at'])
    .where('kind', '=', 'mirror')
    .execute();
  expect(mirrors).toEqual([{ attempts: 0, dead_at: null }]);
});
