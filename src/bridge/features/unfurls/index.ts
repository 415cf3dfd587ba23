import { type Feature, on } from '../../feature.ts';
import { postKind } from '../../outbox/post-kind.ts';
import { Unfurl, unfurlCall, unfurlLinks } from './unfurl-links.ts';

/** What a link to a ticket leads to, shown under the message that has it (B41). */
export const unfurls: Feature = {
  posts: [postKind('unfurl', 'card', Unfurl, unfurlCall)],
  handlers: [on('link', unfurlLinks)],
};
