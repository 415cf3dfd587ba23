import { createHash } from 'node:crypto';

import { fullName } from '../workspace/directory.ts';
import type { Workspaces } from '../workspace/workspaces.ts';
import { type Asked, type AuthorizeQuery, installers, organisationInstallers } from './authorize.ts';

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:4rem auto;padding:0 1rem;color:#1d1c1d}
select,button{font:inherit;padding:.5rem .75rem;border:1px solid #767676;border-radius:.375rem;background:#fff;color:inherit}
select{width:100%}button[value=allow]{background:#007a5a;border-color:#007a5a;color:#fff}
label,ul,p.do{display:block;margin:1rem 0}
@media (prefers-color-scheme:dark){body,select,button{background:#1a1d21;color:#e8e8e8}}`;
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** Nothing runs; a form goes here, and from here to where the app is. */
export function policy(target?: URL): string {
  const forms = target ? `'self' ${target.origin}` : "'none'";
  return `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; frame-ancestors 'none'; form-action ${forms}`;
}

/** Asks a person whether an app may be installed: which workspace and who they are, Allow and Cancel. */
export function consentPage(workspaces: Workspaces, asked: Asked, query: AuthorizeQuery): string {
  const hidden = Object.entries({ ...query, team: undefined })
    .filter((field): field is [string, string] => field[1] !== undefined)
    .map(([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`);
  const groups = workspaces.all.map(({ directory }) => {
    const { team } = directory;
    const wanted = query.team === team.id;
    const people = installers(directory).map(
      (person, index) =>
        `<option value="${escaped(`${team.id} ${person.id}`)}"${wanted && index === 0 ? ' selected' : ''}>${escaped(`${fullName(person) || person.name} (${team.name})`)}</option>`,
    );
    return `<optgroup label="${escaped(team.name)}">${people.join('')}</optgroup>`;
  });
  for (const organisation of workspaces.organisations.all()) {
    const people = workspaces.all
      .filter(({ directory }) => directory.team.organisation?.id === organisation.id)
      .flatMap(({ directory }) => organisationInstallers(directory))
      .map(
        (person) =>
          `<option value="${escaped(`${organisation.id} ${person.id}`)}">${escaped(`${fullName(person) || person.name} (all of ${organisation.name})`)}</option>`,
      );
    groups.push(
      `<optgroup label="${escaped(`The organisation ${organisation.name}`)}">${people.join('')}</optgroup>`,
    );
  }
  const scopes = asked.scopes.map((scope) => `<li><code>${escaped(scope)}</code></li>`);
  return page(
    `${asked.app.name} asks to be installed`,
    `<p>It will be able to do what these scopes allow, and you go back to <code>${escaped(asked.target.origin)}</code>.</p>
<ul>${scopes.join('')}</ul>
<form method="post" action="/oauth/v2/authorize">${hidden.join('')}
<label>Workspace, and who you are<br><select name="as" required>${groups.join('')}</select></label>
<p class="do"><button name="decision" value="allow">Allow</button> <button name="decision" value="cancel" formnovalidate>Cancel</button></p>
</form>`,
  );
}

/** Why the person cannot be asked. */
export function refusalPage(code: string): string {
  return page(
    'Something is wrong with this link',
    `<p>The app that sent you here made a mistake: <code>${escaped(code)}</code>.</p>`,
  );
}

function page(title: string, body: string): string {
  return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(title)}</title><style>${STYLE}</style></head><body><main><h1>${escaped(title)}</h1>${body}</main></body></html>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
