import type { Outcome } from '../workspace/workspace.ts';

/** Why an interaction got no answer that Slack's client can use. */
export type Unanswered = Extract<Outcome, { error: unknown }>['error'] | 'invalid_response';
