import { describe, expect, test } from 'vitest';

import {
  callFile,
  decideFile,
  fileAt,
  type FileFacts,
  fileOf,
  numbersOf,
  RawFile,
} from '../../../src/bridge/slack/file.ts';
import { parseListedMessage } from '../../../src/bridge/slack/chat-event.ts';
import { fileLine } from '../../../src/bridge/text/file-line.ts';

const hosted: FileFacts = {
  name: 'log.txt',
  mimetype: 'text/plain',
  mode: 'hosted',
  access: 'visible',
  asked: false,
};

describe('B18 a file in chat', () => {
  test('a file is known by its permalink alone, and then looked up; any other address is none', () => {
    const permalink = 'https://acme.slack.com/files/U1/F0AB/door.png';
    const file = fileAt(permalink);
    expect(file).toMatchObject({ id: 'F0AB', permalink, bytes: 0, download: '' });
    expect(file && decideFile({ ...file, asked: false })).toBe('ask');
    expect(fileAt('https://files.example/a.png')).toBeUndefined();
  });

  test('a name that no database accepts is repaired', () => {
    const { name } = fileOf(RawFile.parse({ id: 'F0AB', name: 'a\0b\ud83d.png' }));
    expect(name).toBe('a\uFFFDb\uFFFD.png');
  });

  test.each<[string, Partial<FileFacts>, string]>([
    ['a visible file is shown', {}, 'shown'],
    ['a file in an unknown mode is shown', { mode: 'hologram', access: 'somehow' }, 'shown'],
    ['a file stored elsewhere says so', { mode: 'external', mimetype: '' }, 'outside'],
    ['a deleted file keeps its name', { mode: 'tombstone', name: '', mimetype: '' }, 'deleted'],
    ['a file that is not found keeps its name', { access: 'file_not_found' }, 'deleted'],
    ['a file over the limit of its workspace keeps its name', { mode: 'hidden_by_limit' }, 'hidden'],
    ['a file that this app may not see keeps its name', { access: 'access_denied' }, 'unseen'],
    [
      'a file of another organisation is looked up',
      { access: 'check_file_info', mode: 'file_access' },
      'ask',
    ],
    ['a file that is not processed yet is looked up', { mimetype: '' }, 'ask'],
    ['a file without a name is looked up', { name: '' }, 'ask'],
    ['a file is looked up once: still not visible', { access: 'check_file_info', asked: true }, 'unseen'],
    ['a file is looked up once: still without a type', { mimetype: '', asked: true }, 'shown'],
  ])('%s', (_, more, state) => {
    expect(decideFile({ ...hosted, ...more })).toBe(state);
  });

  test.each<[what: string, files: [name: string, mimetype: string][], called: string[]]>([
    ['a name stays', [['Plan B', 'text/plain']], ['Plan B']],
    ['one without a name', [['', 'image/png']], ['file.png']],
    [
      'several without a name',
      [
        ['', 'image/png'],
        ['log.txt', 'text/plain'],
        ['', 'application/pdf'],
        ['', 'image/jpeg'],
      ],
      ['file.png', 'log.txt', 'file-2.pdf', 'file-3.jpg'],
    ],
    [
      'names that nobody sees',
      [
        [' ', 'video/mp4'],
        ['\u200B\u200E', 'text/csv; charset=utf-8'],
        ['\u3164', 'IMAGE/PNG'],
      ],
      ['file.mp4', 'file-2.csv', 'file-3.png'],
    ],
    [
      'types without an ending',
      [
        ['', ''],
        ['', 'application/octet-stream'],
        ['', 'x/y'],
        ['', 'nonsense'],
      ],
      ['file', 'file-2', 'file-3', 'file-4'],
    ],
  ])('B18 files are called by their name, else by their type: %s', (_, given, called) => {
    const files = given.map(([name, mimetype]) => fileOf(RawFile.parse({ id: 'F1', name, mimetype })));
    const numbers = numbersOf(files);
    expect(files.map((one, at) => callFile(one, numbers[at] ?? 0))).toEqual(called);
  });

  const file = {
    name: 'log.txt',
    mimetype: 'text/plain',
    bytes: 2048,
    permalink: 'https://acme.slack.com/files/U1/F1/log.txt',
  };
  const link = '[log.txt](<https://acme.slack.com/files/U1/F1/log.txt>)';
  test.each<[string, Parameters<typeof fileLine>, string]>([
    ['name, type and size', [file, 'shown'], `${link} (text/plain, 2 kB)`],
    ['a large size', [{ ...file, bytes: 3_355_443 }, 'shown'], `${link} (text/plain, 3.2 MB)`],
    ['only what is known', [{ ...file, bytes: 0, mimetype: '' }, 'shown'], link],
    [
      'where the file is stored',
      [{ ...file, bytes: 0 }, 'outside'],
      `${link} (text/plain, kept outside Slack)`,
    ],
    ['that the file was deleted', [{ ...file, name: '' }, 'deleted'], 'a file (deleted in Slack)'],
    ['that Slack hides the file', [file, 'hidden'], 'log.txt (hidden by Slack, whose storage is full)'],
    ['that the app cannot see the file', [file, 'unseen'], 'log.txt (Slack does not show it to this app)'],
    [
      'an escaped name, and no unsafe URL',
      [{ ...file, name: '![x](javascript:y)\n# <b>', permalink: 'javascript:z', bytes: 1 }, 'shown'],
      String.raw`\!\[x\](javascript:y) # \<b\> (text/plain, 1 kB)`,
    ],
  ])('B18 the line of a file says %s', (_, [given, state], line) => {
    expect(fileLine(given, state)).toBe(line);
  });

  test('B18 a file keeps no token that is in the URL of its bytes', () => {
    const message = parseListedMessage('T1', 'C1', {
      ts: '1.1',
      files: [
        { id: 'F1', name: 'a.png', url_private: 'https://files.slack.com/files-pri/T1-F1/a.png?t=xoxe-1' },
        { id: 'F2', mode: 'tombstone' },
        { id: 7, size: 'large', name: null },
      ],
    });
    expect(message?.files.map(({ id, name, mode }) => [id, name, mode])).toEqual([
      ['F1', 'a.png', undefined],
      ['F2', '', 'tombstone'],
      ['', '', undefined],
    ]);
    expect(message?.files[0]?.download).toBe('https://files.slack.com/files-pri/T1-F1/a.png');
    expect(JSON.stringify(message)).not.toContain('xoxe');
  });
});
