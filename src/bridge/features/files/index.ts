// The files of a ticket message, shown in chat step by step (B18). Those of chat are links on the ticket.

import { type Feature } from '../../feature.ts';
import { planFiles, uploadOf } from './store.ts';
import { filePost } from './upload-file.ts';

export { recordUpload } from './store.ts';

export const files: Feature = {
  posts: [filePost],
  hooks: (bridge) => ({
    messageMirrored: (tx, mirrored) => planFiles(tx, bridge, mirrored),
    fileOf: async (linkId) => (await uploadOf(bridge.database.db, linkId))?.file_id ?? undefined,
  }),
};
