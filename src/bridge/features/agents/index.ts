// 👍 and 👎 under the answer of an automated agent (B42).

import type { Feature } from '../../feature.ts';
import { ratingButtons } from './rate.ts';

export const agents: Feature = {
  hooks: () => ({ underMessage: ({ id, source }) => (source === 'AGENT' ? [ratingButtons(id)] : []) }),
};
