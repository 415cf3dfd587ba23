import type { FastifyInstance } from 'fastify';

import type { Control } from './control/control.ts';
import type { Workspace } from './workspace/workspace.ts';

export interface PageParts {
  workspace: Workspace;
  control: Control;
}

/** People's pictures. */
export function servePage(server: FastifyInstance, { workspace }: PageParts): void {
  server.get<{ Params: { file: string } }>('/avatar/:file', async (request, reply) => {
    const person = workspace.directory.people.get(request.params.file.replace(/\.svg$/, ''));
    if (!person) return reply.code(404).send({ error: 'not_found' });
    return reply
      .type('image/svg+xml')
      .header('cache-control', 'max-age=3600')
      .send(avatar(person.id, person.name));
  });
}

/** A square with an initial; the colour follows from the id. */
function avatar(id: string, name: string): string {
  const hue = Array.from(id).reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 360, 7);
  const initial = (name.charAt(0).toUpperCase() || '?').replace(/[<>&"']/, '?');
  return `<svg xmlns="http://www.w3.org/2000/svg" width="72" height="72" viewBox="0 0 72 72"><rect width="72" height="72" rx="14" fill="hsl(${hue} 45% 42%)"/><text x="36" y="38" fill="#fff" font-family="system-ui,sans-serif" font-size="34" font-weight="600" text-anchor="middle" dominant-baseline="middle">${initial}</text></svg>`;
}
