/**
 * What to show of a file (B18). `ask`: the message does not say yet, `files.info` may. `deleted`, `hidden` (the
 * workspace is over its limit), `unseen` (not visible to this app): only its name is shown.
 */
export type FileState = 'shown' | 'outside' | 'ask' | 'deleted' | 'hidden' | 'unseen';

export interface FileSituation {
  name: string;
  mimetype: string;
  mode: string | undefined;
  access: string | undefined;
  /** Whether `files.info` was called: then missing details are final. */
  asked: boolean;
}

/**
 * Undocumented modes and access values are treated like any other file. Sources:
 * https://docs.slack.dev/reference/objects/file-object; `check_file_info` in Slack Connect:
 * https://docs.slack.dev/apis/slack-connect
 */
export function decideFile({ name, mimetype, mode, access, asked }: FileSituation): FileState {
  if (mode === 'tombstone' || access === 'file_not_found') return 'deleted';
  if (mode === 'hidden_by_limit') return 'hidden';
  if (access === 'access_denied') return 'unseen';
  if (access === 'check_file_info' || mode === 'file_access') return asked ? 'unseen' : 'ask';
  if (mode === 'external') return 'outside';
  // A message may arrive before its files are processed: they have no type yet, or not even a name.
  if (!asked && (name === '' || mimetype === '')) return 'ask';
  return 'shown';
}
