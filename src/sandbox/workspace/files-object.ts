import type { FileShare, JsonObject, MessageContent } from './content.ts';
import { type Channel, isExtShared } from './directory.ts';
import { isPicture, kindOf } from './files-kind.ts';
import type { StoredFile } from './files-store.ts';
import type { Workspace } from './workspace.ts';

/** Longest sides of the small pictures (docs.slack.dev/reference/objects/file-object). */
const SQUARES = [64, 80, 160] as const;
const THUMBS = [360, 480, 720, 960, 1024] as const;

/**
 * A file as messages carry it (docs.slack.dev/reference/objects/file-object). Until it is processed its kind is not
 * known: apps that ask too early see empty fields. `baseUrl` is where the sandbox serves its bytes.
 */
export function fileObject({ directory }: Workspace, baseUrl: string, file: StoredFile) {
  const { team } = directory;
  const known = file.state === 'processed';
  const kind = kindOf(file.name, file.snippet_type);
  const place = `${baseUrl}/files-pri/${team.id}-${file.id}`;
  const name = encodeURIComponent(file.name.toLowerCase().replaceAll(/[^a-z0-9._-]+/g, '_'));
  const mode: 'snippet' | 'hosted' = file.snippet_type === null ? 'hosted' : 'snippet';
  return {
    id: file.id,
    created: file.created_at,
    timestamp: file.created_at,
    name: file.name,
    title: file.title,
    mimetype: known ? kind.mimetype : '',
    filetype: known ? kind.filetype : '',
    pretty_type: known ? kind.prettyType : '',
    user: file.user_id,
    user_team: directory.people.get(file.user_id)?.teamId ?? team.id,
    editable: mode === 'snippet',
    size: file.size,
    mode,
    is_external: false,
    external_type: '',
    is_public: file.shares.some(({ channel }) => directory.channels.get(channel)?.kind === 'channel'),
    public_url_shared: false,
    display_as_bot: false,
    username: '',
    url_private: `${place}/${name}`,
    url_private_download: `${place}/download/${name}`,
    ...(file.alt_text === '' ? {} : { alt_txt: file.alt_text }),
    ...(known && isPicture(kind) ? pictureFields(file, `${baseUrl}/files-tmb/${team.id}-${file.id}`) : {}),
    media_display_type: 'unknown',
    permalink: `https://${team.domain}.slack.com/files/${file.user_id}/${file.id}/${name}`,
    permalink_public: `https://slack-files.com/${team.id}-${file.id}-${file.upload_secret.slice(0, 10)}`,
    is_starred: false,
    has_rich_preview: false,
    file_access: 'visible',
  };
}

type Square = (typeof SQUARES)[number];
type Thumb = (typeof THUMBS)[number];
type PictureFields = Partial<
  Record<'original_w' | 'original_h' | `thumb_${Thumb}_w` | `thumb_${Thumb}_h`, number> &
    Record<`thumb_${Square | Thumb}`, string>
>;

function pictureFields({ width, height }: StoredFile, place: string): PictureFields {
  if (width === null || height === null) return {};
  const fields: PictureFields = { original_w: width, original_h: height };
  for (const side of SQUARES) fields[`thumb_${side}`] = `${place}/thumb_${side}`;
  const longest = Math.max(width, height);
  for (const side of THUMBS) {
    // Slack makes no picture larger; the 360 one is always there.
    if (side > 360 && side > longest) continue;
    const scale = Math.min(1, side / longest);
    fields[`thumb_${side}`] = `${place}/thumb_${side}`;
    fields[`thumb_${side}_w`] = Math.max(1, Math.round(width * scale));
    fields[`thumb_${side}_h`] = Math.max(1, Math.round(height * scale));
  }
  return fields;
}

/** The same with where it is shown: files.info, files.list. */
export function fileWithShares(workspace: Workspace, baseUrl: string, file: StoredFile) {
  const shown = { public: {}, private: {} } as Record<'public' | 'private', Record<string, JsonObject[]>>;
  const kinds = { channel: new Set<string>(), group: new Set<string>(), im: new Set<string>() };
  for (const share of file.shares) {
    const channel = workspace.directory.channels.get(share.channel);
    if (!channel) continue;
    const isPublic = channel.kind === 'channel';
    const list = (shown[isPublic ? 'public' : 'private'][channel.id] ??= []);
    list.push(shareObject(workspace, file, channel, share));
    kinds[channel.kind === 'mpim' ? 'group' : channel.kind].add(channel.id);
  }
  return {
    ...fileObject(workspace, baseUrl, file),
    shares: {
      ...(Object.keys(shown.public).length > 0 ? { public: shown.public } : {}),
      ...(Object.keys(shown.private).length > 0 ? { private: shown.private } : {}),
    },
    channels: [...kinds.channel],
    groups: [...kinds.group],
    ims: [...kinds.im],
    comments_count: 0,
  };
}

function shareObject(
  { directory }: Workspace,
  file: StoredFile,
  channel: Channel,
  { ts, threadTs }: FileShare,
): JsonObject {
  return {
    reply_users: [],
    reply_users_count: 0,
    reply_count: 0,
    ts,
    ...(threadTs === undefined ? {} : { thread_ts: threadTs }),
    channel_name: channel.name,
    team_id: directory.team.id,
    share_user_id: file.user_id,
    source: 'UNKNOWN',
    is_silent_share: false,
  };
}

/**
 * What a message says in an event: in channels shared with other organisations files are only named, and files.info
 * tells the rest (docs.slack.dev/apis/slack-connect, "check_file_info").
 */
export function pushedContent(content: MessageContent, channel: Channel): MessageContent {
  if (!isExtShared(channel) || content.files === undefined) return content;
  return {
    ...content,
    files: content.files.map((file) =>
      file['mode'] === 'tombstone' ? file : { id: file.id, file_access: 'check_file_info' },
    ),
  };
}
