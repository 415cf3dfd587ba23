import { Outlet } from '@tanstack/react-router';

/** The list, and beside it the ticket that is open. */
export function Workspace() {
  return <Outlet />;
}
