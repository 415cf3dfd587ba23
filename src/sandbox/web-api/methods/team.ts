import { z } from 'zod';

import { text } from '../arguments.ts';
import { method, SlackError } from '../method.ts';

/** docs.slack.dev/reference/methods/team.info */
export const TEAM = [
  method('team.info', z.object({ team: text.optional() }), async ({ workspace, baseUrl }, args) => {
    const { id, name, domain } = workspace.directory.team;
    if (args.team !== undefined && args.team !== '' && args.team !== id)
      throw new SlackError('team_not_found');
    const picture = `${baseUrl}/page/icon.svg`;
    return {
      team: {
        id,
        name,
        domain,
        url: `https://${domain}.slack.com/`,
        email_domain: '',
        icon: {
          image_default: true,
          image_34: picture,
          image_44: picture,
          image_68: picture,
          image_88: picture,
          image_102: picture,
          image_132: picture,
          image_230: picture,
        },
        avatar_base_url: 'https://ca.slack-edge.com/',
        is_verified: false,
      },
    };
  }),
];
