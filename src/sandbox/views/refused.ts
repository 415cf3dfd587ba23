/** Why Slack would not open, push, update or publish a view: the `error` of the method. */
export class ViewRefused extends Error {
  override readonly name = 'ViewRefused';
  readonly code: string;
  /** `response_metadata.messages`. */
  readonly messages: readonly string[];

  constructor(code: string, messages: readonly string[] = []) {
    super([code, ...messages].join(': '));
    this.code = code;
    this.messages = messages;
  }
}
