/** docs.slack.dev/reference/methods/conversations.create, "Naming". */
const LONGEST = 80;

/** Why a channel cannot bear this name, in the words of conversations.create and conversations.rename. */
export function channelNameError(name: string): string | undefined {
  if (name === '') return 'invalid_name_required';
  if (name.length > LONGEST) return 'invalid_name_maxlength';
  if (!/^[\p{Ll}\p{Lo}\p{M}\p{N}_-]+$/u.test(name)) return 'invalid_name_specials';
  if (/^[-_]+$/.test(name)) return 'invalid_name_punctuation';
  return undefined;
}
