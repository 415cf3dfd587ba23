import { z } from 'zod';

import type { Probe } from './probe.ts';
import { CannotTry, read } from './read.ts';
import { outcomeOf, type Workbench } from './workbench.ts';

/** Calls of files.info after which a file counts as never processed. */
const LOOKS = 20;
const BYTES = 'hello';

const shares = z.record(z.string(), z.array(z.object({ ts: z.string() })));
const fileInfo = z.object({
  file: z.looseObject({
    size: z.number(),
    filetype: z.string().default(''),
    shares: z
      .object({ public: shares.default({}), private: shares.default({}) })
      .partial()
      .default({}),
  }),
});
type FileInfo = z.output<typeof fileInfo>['file'];

/** Files that are uploaded and deleted again; all but one are shown nowhere. */
export const FILE_PROBES: readonly Probe[] = [
  {
    fact: 'The upload address answers `OK - ` and the size; 404 where nobody waits for bytes',
    tries: 'the answer to five bytes, and to five more when the file is complete',
    expected: ['200 OK - 5', '404'],
    async run(bench) {
      const { url, id } = await promise(bench, 'probe.txt');
      const first = await bench.upload(url, BYTES);
      await complete(bench, id);
      return [first, (await bench.upload(url, BYTES)).slice(0, 3)];
    },
  },
  {
    fact: 'What is sent may be of another size than was said; the real one counts',
    tries: 'ten bytes said, five sent',
    expected: BYTES.length,
    async run(bench) {
      const { url, id } = await promise(bench, 'probe.txt', 10);
      await bench.upload(url, BYTES);
      await complete(bench, id);
      return (await infoOf(bench, id, () => true)).size;
    },
  },
  {
    fact: "Completing twice, another's file, or one without bytes: `file_not_found`; no room: `storage_limit_reached`",
    tries: 'completing without bytes, and twice',
    expected: { withoutBytes: 'file_not_found', twice: 'file_not_found' },
    async run(bench) {
      const empty = await promise(bench, 'empty.txt');
      const withoutBytes = await bench.call('files.completeUploadExternal', { files: [{ id: empty.id }] });
      const { url, id } = await promise(bench, 'probe.txt');
      await bench.upload(url, BYTES);
      await complete(bench, id);
      const twice = await bench.call('files.completeUploadExternal', { files: [{ id }] });
      return { withoutBytes: outcomeOf(withoutBytes), twice: outcomeOf(twice) };
    },
  },
  {
    fact: 'Kinds go by how a name ends, not by the bytes',
    tries: 'plain text by the name of probe.png',
    expected: 'png',
    async run(bench) {
      const { url, id } = await promise(bench, 'probe.png');
      await bench.upload(url, BYTES);
      await complete(bench, id);
      return (await infoOf(bench, id, ({ filetype }) => filetype !== '')).filetype;
    },
  },
  {
    fact: 'A message whose only file was deleted stays',
    tries: 'the history after the file is deleted',
    expected: 'stays',
    async run(bench) {
      const { url, id } = await promise(bench, 'probe.txt');
      await bench.upload(url, BYTES);
      await complete(bench, id, bench.channel);
      const ts = sharedAt(await infoOf(bench, id, (file) => sharedAt(file) !== undefined));
      if (ts === undefined) throw new CannotTry('the file was not shown in time');
      bench.deleteLater(ts);
      await bench.must('files.delete', { file: id });
      return (await bench.inHistory(ts)) ? 'stays' : 'gone';
    },
  },
];

/** An address for bytes; the file is deleted afterwards. */
async function promise(
  bench: Workbench,
  filename: string,
  length = BYTES.length,
): Promise<{ url: string; id: string }> {
  const given = read(
    z.object({ upload_url: z.string(), file_id: z.string() }),
    await bench.must('files.getUploadURLExternal', { filename, length }),
  );
  bench.afterwards(`the file ${given.file_id}`, () => bench.call('files.delete', { file: given.file_id }));
  return { url: given.upload_url, id: given.file_id };
}

async function complete(bench: Workbench, id: string, channel?: string): Promise<void> {
  await bench.must('files.completeUploadExternal', {
    files: [{ id }],
    ...(channel === undefined ? {} : { channel_id: channel }),
  });
}

/** The file once it is so, as Slack works on it after the upload; else as it was at the last look. */
async function infoOf(bench: Workbench, id: string, isSo: (file: FileInfo) => boolean): Promise<FileInfo> {
  for (let look = 1; ; look += 1) {
    const { file } = read(fileInfo, await bench.must('files.info', { file: id }));
    if (isSo(file) || look === LOOKS) return file;
  }
}

function sharedAt({ shares: places }: FileInfo): string | undefined {
  const [first] = Object.values({ ...places.public, ...places.private }).flat();
  return first?.ts;
}
