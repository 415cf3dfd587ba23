import { apiView, type OpenView } from '../views/open-view.ts';
import type { Person } from '../workspace/directory.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { homeOf, payloadFrame, type ViewClosedPayload } from './payloads.ts';

/**
 * Closes a view, or with `all` (the cross) or `clear_on_close` the whole modal. Views that ask for it are told of by
 * `view_closed` (docs.slack.dev/reference/interaction-payloads/view-interactions-payload); the person does not wait
 * for the app. What was closed, top first.
 */
export async function closeView(
  workspace: Workspace,
  { person, view, all }: { person: Person; view: OpenView; all: boolean },
): Promise<OpenView[]> {
  const { views, directory } = workspace;
  const home = homeOf(directory.team, person);
  const cleared = all || view.definition.clear_on_close === true;
  const closed = cleared ? views.clear(view.userId) : views.close(view);
  const asking = closed.filter(({ definition }) => definition.notify_on_close === true);
  await Promise.all(
    asking.map((one) => {
      const payload: ViewClosedPayload = {
        type: 'view_closed',
        ...payloadFrame(home, one.app, person),
        // Without what was filled in (seen in recorded payloads).
        view: apiView(directory.team, one, {}, home),
        is_cleared: cleared,
      };
      return workspace.send(one.app, 'interactive', payload);
    }),
  );
  return closed;
}
