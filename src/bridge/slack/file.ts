import { z } from 'zod';

/** A file of Slack, as a message or `files.info` shows it (https://docs.slack.dev/reference/objects/file-object). */
export interface ChatFile {
  id: string;
  name: string;
  /** Empty until Slack has processed the file. */
  mimetype: string;
  /** 0 if Slack does not store the bytes, or does not say. */
  bytes: number;
  /** Slack's page of the file, which requires a login: the only URL of it that is forwarded. */
  permalink: string;
  /** `hosted`, `snippet`, `external`, `tombstone`, `hidden_by_limit`, …; undefined if absent. */
  mode: string | undefined;
  /** `visible`, `check_file_info` and others; undefined if absent. */
  access: string | undefined;
}

const text = z.string().catch('');
const optional = z.string().optional().catch(undefined);

export const RawFile = z.object({
  id: text,
  name: text,
  title: text,
  mimetype: text,
  size: z.number().nonnegative().catch(0),
  permalink: text,
  mode: optional,
  file_access: optional,
});

export function fileOf(raw: z.output<typeof RawFile>): ChatFile {
  return {
    id: raw.id,
    name: raw.name || raw.title,
    mimetype: raw.mimetype,
    bytes: raw.size,
    permalink: raw.permalink,
    mode: raw.mode,
    access: raw.file_access,
  };
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
