import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

import { onTestFinished } from 'vitest';

/**
 * A TCP proxy in front of Postgres that can go silent (nothing passes, nothing is closed) or cut every
 * connection.
 */
export interface DatabaseProxy {
  /** The database's URL through the proxy. */
  url: string;
  /** From now on nothing passes in either direction; new connections are accepted and get no data. */
  silence(): void;
  /** Ends every connection; new ones are ended at once until `restore`. */
  cut(): void;
  /**
   * Open connections get no data from now on and stay open, as behind a firewall that dropped their state;
   * new ones work.
   */
  forget(): void;
  /** Passes everything again. Data held back during the silence is lost with its connections. */
  restore(): void;
}

export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl.replace('@/', '@localhost/'));
  const directory = target.searchParams.get('host');
  const port = Number(target.port || 5432);
  const onward = () =>
    directory?.startsWith('/')
      ? connect({ path: `${directory}/.s.PGSQL.${target.searchParams.get('port') ?? port}` })
      : connect({ host: target.hostname, port });
  const open = new Set<Socket>();
  let state: 'passing' | 'silent' | 'cut' = 'passing';
  let forgotten = 0;
  const drop = () => {
    for (const socket of open) socket.destroy();
  };
  const server = createServer((near) => {
    open.add(near);
    near.on('error', () => undefined).on('close', () => open.delete(near));
    if (state === 'cut') return void near.destroy();
    const far = onward();
    open.add(far);
    far
      .on('error', () => undefined)
      .on('close', () => {
        open.delete(far);
        near.destroy();
      });
    near.on('close', () => far.destroy());
    const since = forgotten;
    const passes = () => state === 'passing' && since === forgotten;
    near.on('data', (bytes) => {
      if (passes()) far.write(bytes);
    });
    far.on('data', (bytes) => {
      if (passes()) near.write(bytes);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    drop();
    server.close();
    await once(server, 'close');
  });
  const own = (server.address() as AddressInfo).port;
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String(own);
  url.search = 'sslmode=disable';
  return {
    url: url.href,
    silence: () => void (state = 'silent'),
    forget: () => void (forgotten += 1),
    cut: () => {
      state = 'cut';
      drop();
    },
    restore: () => {
      drop();
      state = 'passing';
    },
  };
}
