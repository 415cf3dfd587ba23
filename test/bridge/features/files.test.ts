import { describe, expect, test } from 'vitest';

import { blockIdOf, readPostMetadata } from '../../../src/bridge/slack/post-metadata.ts';
import {
  decideUpload,
  type UploadDecision,
  type UploadFacts,
} from '../../../src/bridge/features/files/rules.ts';
import { fileNameOf, imagesIn } from '../../../src/bridge/text/to-chat.ts';

const begun: UploadFacts = {
  wanted: true,
  hasBytes: false,
  askedMs: undefined,
  takenMs: undefined,
  shown: 'no',
};
const asked = { hasBytes: true, askedMs: 0 };

describe('B18 the next step of a file upload to chat', () => {
  test.each<[string, Partial<UploadFacts>, UploadDecision['do']]>([
    ['nothing is done: upload the bytes', {}, 'send'],
    ['the bytes are uploaded: ask chat to share the file', { hasBytes: true }, 'ask'],
    ['chat was asked just now and has not answered: wait', { ...asked, askedMs: 14_000 }, 'wait'],
    ['chat was asked and the request must have ended: ask again', { ...asked, askedMs: 16_000 }, 'ask'],
    [
      'there was no answer, but the file is in the thread',
      { ...asked, askedMs: 16_000, shown: 'in-thread' },
      'record',
    ],
    [
      'chat accepted the file and has not shown it yet',
      { ...asked, askedMs: 60_000, takenMs: 59_000 },
      'wait',
    ],
    ['chat shows the file', { ...asked, takenMs: 2_000, shown: 'in-thread' }, 'record'],
    ['chat never shows the file', { ...asked, askedMs: 130_000, takenMs: 121_000 }, 'give-up'],
    ['the thread was deleted', { ...asked, takenMs: 2_000, shown: 'elsewhere' }, 'give-up'],
    ['no longer wanted, nothing is done', { wanted: false }, 'drop'],
    ['no longer wanted, the bytes are uploaded', { wanted: false, hasBytes: true }, 'drop'],
    ['no longer wanted, but it may still be shared', { ...asked, wanted: false }, 'wait'],
    ['no longer wanted, and it was not shared', { ...asked, wanted: false, askedMs: 16_000 }, 'drop'],
    ['no longer wanted, but shown', { ...asked, wanted: false, shown: 'in-thread' }, 'record'],
  ])('%s', (_, more, decision) => {
    expect(decideUpload({ ...begun, ...more }).do).toBe(decision);
  });
});

describe('B18 the files of a ticket message', () => {
  test('B18 are its images at web addresses, each once, in order; links, code and other addresses do not count', () => {
    const images = imagesIn(
      '![b](https://x.example/b.png) [c](https://x.example/c.png) ![b again](https://x.example/b.png)\n\n' +
        '- > ![](http://x.example/d) [![e](https://x.example/e.png)](https://x.example)\n\n' +
        '`![f](https://x.example/f.png)` ![g](data:image/png;base64,AA) ![h](javascript:h) ![i][i]\n\n' +
        '[i]: https://x.example/i.png',
    );
    expect(images).toEqual([
      { url: 'https://x.example/b.png', alt: 'b' },
      { url: 'http://x.example/d', alt: '' },
      { url: 'https://x.example/e.png', alt: 'e' },
      { url: 'https://x.example/i.png', alt: 'i' },
    ]);
  });

  test.each([
    ['https://x.example/a/plan%20b.png?token=1#x', '', 'plan b.png'],
    ['https://x.example/icon/9f', 'image/png; charset=binary', '9f.png'],
    ['https://x.example/', 'application/pdf', 'file.pdf'],
    ['https://x.example/%2e%2e%2fetc%2fpasswd%00', '', '.._etc_passwd_'],
    ['https://x.example/%E0%A4%A', 'IMAGE/JPEG', '%E0%A4%A.jpg'],
  ])('B18 the file at %s (%s) is named %s', (url, contentType, name) => {
    expect(fileNameOf(url, contentType)).toBe(name);
  });

  test('B18 a message with a file carries its metadata, and blocks of other apps are ignored', () => {
    const metadata = {
      id: 'out_1',
      message: 'msg_1',
      kind: 'file' as const,
      part: 0,
      version: '2026-11-20T09:30:00.000Z',
    };
    const shown = (block_id: string | undefined) => ({
      ts: '1.1',
      blocks: [{ type: 'rich_text', block_id }, {}],
    });
    expect(readPostMetadata(shown(blockIdOf(metadata)))).toEqual({ ts: '1.1', metadata });
    expect(blockIdOf({ ...metadata, message: 'm'.repeat(300) })).toBeUndefined();
    for (const id of [undefined, 'abc', '{', '["other",{"id":"x"}]', 'null'])
      expect(readPostMetadata(shown(id))).toBeUndefined();
  });
});
