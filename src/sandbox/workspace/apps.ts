import type { App } from './directory.ts';
import type { Workspace } from './workspace.ts';

/** How an app is reached. */
export interface Transport {
  requestUrl: string | undefined;
  requestUrlVerified: boolean;
  socketMode: boolean;
}

/** Changes how an app is reached; the next delivery goes the new way. */
export async function setTransport({ db }: Workspace, app: App, transport: Transport): Promise<void> {
  await db
    .updateTable('app')
    .set({
      request_url: transport.requestUrl ?? null,
      request_url_verified: transport.requestUrlVerified,
      socket_mode: transport.socketMode,
    })
    .where('id', '=', app.id)
    .execute();
  Object.assign(app, transport);
}
