// Previews of links to tickets, below the message (B41).

import type { Feature } from '../../feature.ts';
import { unfurlPost } from './unfurl.ts';

export const unfurls: Feature = { posts: [unfurlPost] };
