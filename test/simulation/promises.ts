import type { Violation } from '../harness/history.ts';

/**
 * How something is not as it must be: what a judge of both sides finds, that somebody who was erased is still there, that a
 * workflow did something twice or not at all or does not end, or that what people do fails or never ends.
 */
export type Kind =
  Violation['kind'] | 'not erased' | 'not once by a workflow' | 'workflow without end' | 'endless';

/** What is not as it must be, and the promise that it breaks. */
export interface Trouble {
  promise: string;
  what: string;
}

const CROSSES = 'A process killed while both sides write loses nothing, doubles nothing and keeps the order';

/** Rows of the table Promises in docs/reliability.md, by what breaks them. */
export const PROMISES: Readonly<Record<Kind, string>> = {
  lost: CROSSES,
  doubled: CROSSES,
  'out of order': CROSSES,
  different:
    'An older state never replaces a newer one (B13); a private message stays off Slack (B14); nothing is posted back (B16)',
  'not deleted': 'Changes that no event reported, on either side, are found and cross once (B50)',
  leaked:
    'Who reads a queue is the same in every list, count, search, file and webhook, whatever moves and is switched; in Slack nothing shows it to others, and what did is taken back',
  'recorded elsewhere': 'A post whose answer was lost is looked up and stands once (B51)',
  'too fast': '429, cut connections, broken or half answers delay posts and keep their order (B48)',
  'not erased': "After an erasure no table has the person's name, e-mail or Slack account",
  'not once by a workflow':
    'A change starts a run of a workflow once, and each step happens once, through kills at any time; waits survive restarts and new versions',
  'workflow without end':
    'Chains of workflows end: random workflows over random changes come to rest, and what floods is paused',
  endless: 'While the service is down everything waits in order (B47)',
};

export const troubleOf = (kind: Kind, what: string): Trouble => ({
  promise: PROMISES[kind],
  what: `${kind}: ${what}`,
});
