import { z } from 'zod';

import { isBlank } from '../../contract/index.ts';
import { cleanText } from '../../platform/text/clean.ts';
import { endingOf } from '../../platform/text/file-ending.ts';

/** A file's name may contain NUL or a lone surrogate, which Postgres does not accept. */
const text = z.string().transform(cleanText).catch('');
const optional = z.string().optional().catch(undefined);

export const RawFile = z.object({
  id: text,
  name: text,
  title: text,
  mimetype: text,
  size: z.number().nonnegative().catch(0),
  permalink: text,
  url_private: text,
  url_private_download: text,
  mode: optional,
  file_access: optional,
});

/** A file of Slack, as a message or `files.info` shows it (https://docs.slack.dev/reference/objects/file-object). */
export type ChatFile = ReturnType<typeof fileOf>;

export function fileOf(raw: z.output<typeof RawFile>) {
  return {
    id: raw.id,
    /** Empty if it has none that people could see. */
    name: [raw.name, raw.title].find((name) => !isBlank(name)) ?? '',
    /** Empty until Slack has processed the file. */
    mimetype: raw.mimetype,
    /** 0 if Slack does not store the bytes, or does not say. */
    bytes: raw.size,
    /** Slack's page of the file, which requires a login: the only URL of it that is forwarded. */
    permalink: raw.permalink,
    /**
     * The URL of the bytes, for the bot token alone, without a token of its own; empty if Slack does not store them.
     */
    download: (raw.url_private_download || raw.url_private).replace(/[?#].*$/, ''),
    /** `hosted`, `snippet`, `external`, `tombstone`, `hidden_by_limit`, …; undefined if absent. */
    mode: raw.mode,
    /** `visible`, `check_file_info` and others; undefined if absent. */
    access: raw.file_access,
  };
}

/** Returns the places of a message's files among those without a name, from 1 on. */
export function numbersOf(files: readonly Pick<ChatFile, 'name'>[]): number[] {
  let number = 0;
  return files.map(({ name }) => (name === '' ? (number += 1) : number));
}

/** Returns what a file is called: its name, or `file.png` by its type; `file-2.png` for the second without a name. */
export function callFile({ name, mimetype }: Pick<ChatFile, 'name' | 'mimetype'>, number: number): string {
  return name === '' ? `file${number > 1 ? `-${number}` : ''}${endingOf(mimetype)}` : name;
}

/**
 * Returns the file of a permalink, of which a form tells no more: `files.info` does. Undefined if it is none of Slack's
 * (https://WORKSPACE.slack.com/files/USER/FILE/NAME; a stand-in has its own host).
 */
export function fileAt(permalink: string): ChatFile | undefined {
  const [, id] = /^https?:\/\/[^/]+\/files\/\w+\/(F\w+)(?:\/|$)/.exec(permalink) ?? [];
  return id === undefined ? undefined : fileOf(RawFile.parse({ id, permalink }));
}

const Share = z.object({ ts: z.string(), thread_ts: optional });
const Shares = z.record(z.string(), z.array(Share)).catch({});

/** The response of `files.info`: the file, and each message that shows it. */
export const FileInfo = RawFile.extend({
  shares: z.object({ public: Shares.optional(), private: Shares.optional() }).catch({}),
}).transform((raw) => ({
  file: fileOf(raw),
  sharesIn: (channel: string) => [
    ...(raw.shares.public?.[channel] ?? []),
    ...(raw.shares.private?.[channel] ?? []),
  ],
}));
export type FileInfo = z.output<typeof FileInfo>;

/**
 * What to show of a file (B18). `ask`: the message does not say yet, `files.info` may. `deleted`, `hidden` (the
 * workspace is over its limit), `unseen` (not visible to this app): only its name is shown.
 */
export type FileState = 'shown' | 'outside' | 'ask' | 'deleted' | 'hidden' | 'unseen';

export type FileFacts = Pick<ChatFile, 'name' | 'mimetype' | 'mode' | 'access'> & {
  /** Whether `files.info` was called: then missing details are final. */
  asked: boolean;
};

/**
 * Undocumented modes and access values are treated like any other file. Sources:
 * https://docs.slack.dev/reference/objects/file-object; `check_file_info` in Slack Connect:
 * https://docs.slack.dev/apis/slack-connect
 */
export function decideFile({ name, mimetype, mode, access, asked }: FileFacts): FileState {
  if (mode === 'tombstone' || access === 'file_not_found') return 'deleted';
  if (mode === 'hidden_by_limit') return 'hidden';
  if (access === 'access_denied') return 'unseen';
  if (access === 'check_file_info' || mode === 'file_access') return asked ? 'unseen' : 'ask';
  if (mode === 'external') return 'outside';
  // A message may arrive before its files are processed: they have no type yet, or not even a name.
  if (!asked && (name === '' || mimetype === '')) return 'ask';
  return 'shown';
}
