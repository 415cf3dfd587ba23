/** The job table and its functions: part of the first step of each module that has jobs. */
export const JOBS_SQL = new URL('jobs.sql', import.meta.url);
