// The files of a ticket message, shown in chat step by step (B18). Those of chat are links on the ticket.

import { type Feature } from '../../feature.ts';
import { postKind } from '../../outbox/post-kind.ts';
import { conversationOfRow } from '../../threads/conversations.ts';
import { planFiles, uploadOf } from './store.ts';
import { FilePost, prepareFile } from './upload-file.ts';

export { recordUpload } from './store.ts';

export const files: Feature = {
  posts: [
    postKind('file', 'reply', FilePost, async (bridge, writer, row, body) => {
      const conversation = await conversationOfRow(bridge, row);
      return conversation && prepareFile(bridge, writer, row, body, conversation);
    }),
  ],
  hooks: (bridge) => ({
    messageMirrored: (tx, mirrored) => planFiles(tx, bridge, mirrored),
    fileOf: async (linkId) => (await uploadOf(bridge.database.db, linkId))?.file_id ?? undefined,
  }),
};
