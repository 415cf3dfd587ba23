import { z } from 'zod';

import {
  allowUrl,
  parseRequest,
  authorizeQuery,
  AuthorizeRefused,
  cancelUrl,
  installers,
  organisationInstallers,
} from '../oauth/authorize.ts';
import { channelName, role } from '../seed.ts';
import { setSharedWith } from '../workspace/channels.ts';
import { letIn, shutOut, uninstall, uninstallFromOrganisation } from '../workspace/installations.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { type Context, ControlError, name, operation } from './operation.ts';
import { newPerson } from './people.ts';

const title = {
  name: name.max(80),
  domain: z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'a domain is lower case: letters, digits, hyphens'),
};

/** The workspaces and their installations. */
export const WORKSPACE_OPERATIONS = {
  /** Another workspace, without the app; returns ids by name. A channel's `members` are names; all people if absent. */
  addWorkspace: operation(
    z.object({
      ...title,
      people: z.array(z.object({ ...newPerson, role: role.default('member') })).default([]),
      channels: z
        .array(
          z.object({
            name: channelName,
            private: z.boolean().default(false),
            members: z.array(name).optional(),
          }),
        )
        .default([]),
    }),
    ({ workspaces, workspace: { ids } }, asked) => {
      if (workspaces.all.some((one) => one.directory.team.domain === asked.domain))
        throw new ControlError(`the domain "${asked.domain}" is taken`);
      const people = asked.people.map((person) => ({
        ...person,
        id: ids.slackId('U'),
        title: '',
        deleted: false,
      }));
      const idOf = new Map(people.map(({ name, id }) => [name, id]));
      if (idOf.size < people.length) throw new ControlError('two people have the same name');
      const channels = asked.channels.map((channel) => ({
        id: ids.slackId('C'),
        name: channel.name,
        private: channel.private,
        members: (channel.members ?? [...idOf.keys()]).map((name) => {
          const id = idOf.get(name);
          if (id === undefined) throw new ControlError(`there is no person "${name}" in this workspace`);
          return id;
        }),
      }));
      const channelIds = Object.fromEntries(channels.map(({ name, id }) => [name, id]));
      if (Object.keys(channelIds).length < channels.length)
        throw new ControlError('two channels have the same name');
      const team = { id: ids.slackId('T'), name: asked.name, domain: asked.domain };
      workspaces.add({ team, people, channels, userGroups: [], emoji: {} });
      return { team: team.id, people: Object.fromEntries(idOf), channels: channelIds };
    },
  ),

  /**
   * Presses Allow (or Cancel) on the page that asks whether an app may be installed (`url`: where the app sent the
   * person), also for the whole organisation of the workspace; returns where the person goes then.
   */
  allow: operation(
    z.object({
      url: z.url(),
      user: name,
      cancel: z.boolean().default(false),
      forOrganisation: z.boolean().default(false),
    }),
    ({ workspaces, workspace, find }, { url, user, cancel: cancelled, forOrganisation }) => {
      const { directory } = workspace;
      const query = authorizeQuery.parse(Object.fromEntries(new URL(url).searchParams));
      const person = find.person(user);
      const may = forOrganisation ? organisationInstallers : installers;
      if (!may(directory).some(({ id }) => id === person.id))
        throw new ControlError(`"${person.name}" may not install apps`);
      const organisation = forOrganisation ? directory.team.organisation : undefined;
      try {
        const asked = parseRequest(workspaces, query);
        return { redirect: cancelled ? cancelUrl(asked) : allowUrl(workspace, asked, person, organisation) };
      } catch (error) {
        throw error instanceof AuthorizeRefused ? new ControlError(error.code) : error;
      }
    },
  ),

  /** Takes the app out of a workspace, or out of an organisation, by its id, its domain or its name. */
  uninstall: operation(z.object({ team: name }), (context, { team }) => {
    const { workspaces } = context;
    const organisation = workspaces.organisations.find(team);
    if (organisation) {
      const app = organisationApp(context, organisation.id);
      if (!app) throw new ControlError('no app is installed in this organisation');
      uninstallFromOrganisation(workspaces, organisation, app);
      return;
    }
    const from = workspaceNamed(context, team);
    const [app] = from.directory.apps.values();
    if (!app) throw new ControlError('no app is installed in this workspace');
    uninstall(workspaces, from, app);
  }),

  /** Makes an organisation (Enterprise Grid) of workspaces. */
  addOrganisation: operation(
    z.object({ ...title, workspaces: z.array(name).min(1) }),
    (context, { name: called, domain, workspaces: named }) => {
      const { workspaces, workspace } = context;
      const members = named.map((one) => {
        const found = workspaceNamed(context, one);
        if (found.directory.team.organisation)
          throw new ControlError(`"${one}" is of an organisation already`);
        return found;
      });
      if (workspaces.organisations.find(domain)) throw new ControlError(`the domain "${domain}" is taken`);
      const organisation = { id: workspace.ids.slackId('E'), name: called, domain };
      workspaces.unite(organisation, members);
      return { organisation: organisation.id };
    },
  ),

  /** Gives a channel to further workspaces of its organisation, and to no others. */
  shareWithin: operation(
    z.object({ channel: name, with: z.array(name) }),
    ({ workspaces, workspace, find }, { channel: where, with: named }) => {
      const { organisation } = workspace.directory.team;
      const teams = named.map((one) => {
        const found = workspaces.find(one)?.directory.team;
        if (!organisation || found?.organisation?.id !== organisation.id)
          throw new ControlError(`"${one}" is no workspace of the same organisation`);
        return found.id;
      });
      setSharedWith(workspace, find.channel(where, undefined), teams);
    },
  ),

  /** Lets the app of its organisation into a workspace, or removes it. */
  teamAccess: operation(
    z.object({ team: name, granted: z.boolean().default(true) }),
    (context, { team, granted }) => {
      const found = workspaceNamed(context, team);
      const { organisation } = found.directory.team;
      const app = organisation && organisationApp(context, organisation.id);
      if (!app) throw new ControlError('the organisation of this workspace has not installed the app');
      const isIn = found.directory.apps.get(app.id)?.byOrganisation === true;
      if (granted && !isIn) letIn(found, organisation, app);
      if (!granted && isIn) shutOut(found, organisation, app);
    },
  ),
};

function workspaceNamed({ workspaces }: Context, team: string): Workspace {
  const found = workspaces.find(team);
  if (!found) throw new ControlError(`there is no workspace "${team}" here`);
  return found;
}

/** The app as an organisation has installed it. */
function organisationApp({ workspaces }: Context, organisationId: string) {
  const [registered] = workspaces.apps.values();
  return workspaces.organisations.app(organisationId, registered?.id ?? '');
}
