// Files cross in both directions (B18): those of chat are copied to the ticket, next to the links in its messages;
// those of a ticket message are shown in chat step by step.

import { type Feature, workOf } from '../../feature.ts';
import { planCopies } from './copies.ts';
import { COPY, COPY_LARGE } from '../../work.ts';
import { workCopies } from './copy-file.ts';
import { planFiles, uploadOf } from './store.ts';
import { filePost } from './upload-file.ts';

export { recordUpload } from './store.ts';

export const files: Feature = {
  posts: [filePost],
  works: () => [workOf(COPY, workCopies), workOf(COPY_LARGE, workCopies)],
  hooks: (bridge) => ({
    filesForwarded: (tx, forwarded) => planCopies(tx, bridge, forwarded),
    messageMirrored: (tx, mirrored) => planFiles(tx, bridge, mirrored),
    fileOf: async (linkId) => (await uploadOf(bridge.database.db, linkId))?.file_id ?? undefined,
  }),
};
