/**
 * What is to be said of a file of chat (B18). `ask`: the message does not tell yet, `files.info` may.
 * `deleted`, `hidden` (the workspace is over its limit), `unseen` (this app may not see it): only its name is left.
 */
export type FileState = 'shown' | 'outside' | 'ask' | 'deleted' | 'hidden' | 'unseen';

export interface FileSituation {
  name: string;
  mimetype: string;
  mode: string | undefined;
  access: string | undefined;
  /** `files.info` has been asked: what it did not say either is not waited for. */
  asked: boolean;
}

/**
 * Modes and ways of access beside those that Slack documents are taken as files like any other.
 * Sources: https://docs.slack.dev/reference/objects/file-object; `check_file_info` in Slack Connect:
 * https://docs.slack.dev/apis/slack-connect
 */
export function decideFile({ name, mimetype, mode, access, asked }: FileSituation): FileState {
  if (mode === 'tombstone' || access === 'file_not_found') return 'deleted';
  if (mode === 'hidden_by_limit') return 'hidden';
  if (access === 'access_denied') return 'unseen';
  if (access === 'check_file_info' || mode === 'file_access') return asked ? 'unseen' : 'ask';
  if (mode === 'external') return 'outside';
  // A message may be told of before its files are processed: they have no kind yet, or not even a name.
  if (!asked && (name === '' || mimetype === '')) return 'ask';
  return 'shown';
}
