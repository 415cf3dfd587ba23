// Questions to one person in their direct messages: may this be approved (B39), how was it (B40).

import type { Feature } from '../../feature.ts';
import { askPost } from './asks.ts';

export { planAsks } from './asks.ts';

export const approvals: Feature = {
  posts: [askPost],
};
