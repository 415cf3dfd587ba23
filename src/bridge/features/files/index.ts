// Files cross in both directions (B18): those of chat are copied to the ticket, next to the links in its messages; those
// of a ticket message are shown in chat step by step.

import { type Feature } from '../../feature.ts';
import { runClassified } from '../../inbox/classify.ts';
import { COPY_QUEUE, LARGE_COPY_QUEUE, planCopies } from './copies.ts';
import { workCopies } from './copy-file.ts';
import { planFiles, uploadOf } from './store.ts';
import { filePost } from './upload-file.ts';

export { recordUpload } from './store.ts';

/** Each holds a few pieces of its file in memory. Several large ones would keep the disk from every message. */
const COPIES_AT_ONCE = { [COPY_QUEUE]: 4, [LARGE_COPY_QUEUE]: 1 };

export const files: Feature = {
  posts: [filePost],
  queues: (bridge) =>
    Object.entries(COPIES_AT_ONCE).map(([queue, concurrency]) => ({
      queue,
      concurrency,
      handle: (job) => runClassified(bridge, job, () => workCopies(bridge, job)),
    })),
  hooks: (bridge) => ({
    filesForwarded: (tx, forwarded) => planCopies(tx, bridge, forwarded),
    messageMirrored: (tx, mirrored) => planFiles(tx, bridge, mirrored),
    fileOf: async (linkId) => (await uploadOf(bridge.database.db, linkId))?.file_id ?? undefined,
  }),
};
